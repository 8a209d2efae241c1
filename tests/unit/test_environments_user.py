"""The scripted user: nearest question, order, repeats, unknown, end."""

from __future__ import annotations

from dataclasses import replace

from environments.runtime.play.user import Reply, ScriptedUser
from environments.runtime.task.attempt import DERIVED, RECORDED, UNKNOWN
from environments.runtime.task.task import UserTurn

TURNS = (
    UserTurn(text="My zip is 90210", asked="Could you give me your zip code?"),
    UserTurn(text="The blue one", asked="Which colour should the lamp have?"),
    UserTurn(text="Yes", asked="Shall I place the order for the lamp now?"),
    UserTurn(text="No thanks", asked="Is there anything else I can do for you?", ends=True),
)


def said(user: ScriptedUser, *questions: str) -> list[str]:
    """What the user answers, one after the other."""
    return [user.reply(question).text for question in questions]


def test_the_recorded_words_bring_the_recorded_turns() -> None:
    """Replaying the recording's own questions replays the user, to the end."""
    user = ScriptedUser(TURNS)
    replies = [user.reply(turn.asked) for turn in TURNS]
    assert [reply.text for reply in replies] == [turn.text for turn in TURNS]
    assert [reply.ended for reply in replies] == [False, False, False, True]


def test_the_nearest_question_is_answered_first() -> None:
    """A policy that asks in another order gets the answers it asks for."""
    user = ScriptedUser(TURNS)
    assert said(user, "Which colour do you want?", "And your zip code?") == [
        "The blue one",
        "My zip is 90210",
    ]


def test_a_statement_gets_the_next_turn_in_order() -> None:
    """Where nothing matches, the user goes on as recorded."""
    assert said(ScriptedUser(TURNS), "Understood.", "Understood.") == [
        "My zip is 90210",
        "The blue one",
    ]


def test_a_strange_question_is_unknown() -> None:
    """A question that resembles nothing recorded is answered neutrally, marked, and costs no turn."""
    user = ScriptedUser(TURNS)
    reply = user.reply("Wie alt bist du?")
    assert reply.source == UNKNOWN
    assert "zip" not in reply.text
    assert said(user, "Understood.") == ["My zip is 90210"]


def test_the_farewell_waits_for_the_rest() -> None:
    """The turn that ended the recording comes last, also when its question comes early."""
    user = ScriptedUser(TURNS)
    assert said(user, "Is there anything else I can do for you?") == ["My zip is 90210"]


def test_a_question_for_consent_is_answered_by_a_turn_that_answered_one() -> None:
    """Another wording of "shall I?" shares its words with the report afterwards, which is not what it asks."""
    turns = (
        UserTurn(text="Yes.", asked="I will do that now. Do you confirm (yes/no)?"),
        UserTurn(text="No, that's all.", asked="Your account has the address 9 Mill Road, Berlin."),
        UserTurn(text="Bye.", asked="Goodbye.", ends=True),
    )
    question = "Your account will have the address 9 Mill Road, Berlin. Do you agree?"
    assert said(ScriptedUser(turns), question) == ["Yes."]


def test_a_correction_comes_before_the_consent_that_it_led_to() -> None:
    """Both answered a question for consent; the recorded order decides."""
    asked = "This goes to your card. Do you confirm?"
    turns = (
        UserTurn(text="No, to my gift card.", asked=asked),
        UserTurn(text="Yes.", asked="This goes to your gift card. Do you confirm?"),
    )
    assert said(ScriptedUser(turns), asked, "Shall I go ahead?") == ["No, to my gift card.", "Yes."]


def test_after_the_last_turn_the_user_leaves() -> None:
    """A statement after everything was said ends the run without words."""
    user = ScriptedUser(TURNS[:1])
    user.reply("Your zip code?")
    reply = user.reply("Done.")
    assert (reply.text, reply.ended) == ("", True)


LAST_WORD = (
    UserTurn(text="My zip is 90210", asked="Could you give me your zip code?"),
    UserTurn(text="I found it cheaper.", asked="Why do you want to cancel the order?"),
    UserTurn(text="No, that's all.", asked="It is cancelled. Is there anything else I can do?"),
)
"""A user whose agent had the last word: it said goodbye."""


def test_who_said_their_last_words_leaves_when_nothing_is_asked() -> None:
    """An agent that refuses and says goodbye is not given the reason that it never asked for."""
    user = ScriptedUser(LAST_WORD)
    assert said(user, "Your zip code?") == ["My zip is 90210"]
    assert said(user, "It cannot be done. Is there anything else I can do?") == ["No, that's all."]
    reply = user.reply("Thank you for your message. Have a nice day. Goodbye.")
    assert (reply.text, reply.ended) == ("", True)


def test_whoever_is_asked_after_their_last_words_answers() -> None:
    """A question, with or without its mark, and what a recorded question was about get the turn that was not said yet."""
    for question in ("Why cancel the order?", "Please tell me more.", "Why do you want to cancel."):
        user = ScriptedUser(LAST_WORD)
        said(user, "Your zip code?", "It cannot be done. Is there anything else I can do?")
        assert said(user, question) == ["I found it cheaper."]


def test_a_known_question_after_the_last_turn_is_answered_once_more() -> None:
    """Asking again gets the same answer once, and then the user leaves or owns up."""
    user = ScriptedUser(TURNS[:1])
    assert said(user, *["Could you give me your zip code?"] * 2) == ["My zip is 90210"] * 2
    assert user.reply("Could you give me your zip code?").ended


def test_without_any_turn_the_user_leaves_at_once() -> None:
    """A single-turn recording ends with the policy's first words."""
    assert ScriptedUser(()).reply("Anything else?").ended


def test_a_very_long_text_is_answered() -> None:
    """A megabyte of words gets a turn like any other."""
    assert ScriptedUser(TURNS).reply("word " * 200_000).text


def test_what_a_turn_says_itself_helps_to_find_it() -> None:
    """A question in other words than the recorded one meets the words of the answer."""
    turns = (
        UserTurn(text="The delivery should go to Elm Street.", asked="Anything to change there?"),
        UserTurn(text="My voucher is V77.", asked="How would you like to settle that?"),
        UserTurn(text="No, bye.", asked="Anything else?", ends=True),
    )
    assert said(ScriptedUser(turns), "Do you have a voucher?") == ["My voucher is V77."]


def test_where_nothing_is_near_the_better_of_the_next_two_is_said() -> None:
    """An agent that skips a question is answered as if it had skipped it; nothing further ahead is given away."""
    turns = (
        UserTurn(text="Born in May", asked="When were you born, for the record we keep here?"),
        UserTurn(text="Two bags", asked="And how many bags will you check in for this trip then?"),
        UserTurn(text="Card ending 12", asked="Which card may I charge for that amount today?"),
        UserTurn(text="Bye", asked="Anything else?", ends=True),
    )
    assert said(ScriptedUser(turns), "Luggage: bags?") == ["Two bags"]


def test_a_clear_question_beside_a_request_for_consent_is_answered() -> None:
    """Consent is given where consent is asked for, unless the words are plainly those of another question."""
    turns = (
        UserTurn(text="Yes, go ahead.", asked="I will cancel it. Do you want me to proceed?"),
        UserTurn(
            text="Refund it to my card.", asked="Refund to the card or to the voucher balance?"
        ),
        UserTurn(text="Bye", asked="Anything else?", ends=True),
    )
    assert said(
        ScriptedUser(turns), "Refund to the card or the voucher balance? Shall I proceed?"
    ) == ["Refund it to my card."]
    assert said(ScriptedUser(turns), "Then it is cancelled. Shall I proceed?") == ["Yes, go ahead."]


PARTS = (
    UserTurn(
        text="I bought it last spring. It is order K55. My number is 030 12.",
        asked="When was that bought, and under which order?",
    ),
    UserTurn(text="Blue, please.", asked="Which colour should the lamp have?"),
    UserTurn(text="Bye", asked="Anything else?", ends=True),
)


def test_what_nobody_asked_for_is_said_later() -> None:
    """Where nothing is near, sentences that name something new wait, and come with the next such turn."""
    user = ScriptedUser(PARTS)
    assert said(user, "Understood.", "Understood.", "Understood.", "Understood.") == [
        "I bought it last spring.",
        "It is order K55.",
        "My number is 030 12.",
        "Blue, please.",
    ]


def test_a_sentence_that_is_asked_for_does_not_wait() -> None:
    """Its own words in the policy's are enough; others of the turn wait."""
    turns = (PARTS[0], PARTS[2])
    assert said(ScriptedUser(turns), "Then I need your number.") == [
        "I bought it last spring. My number is 030 12."
    ]


def test_the_recorded_question_brings_the_whole_turn() -> None:
    """Nothing is kept back from the question that the recorded user answered."""
    assert said(ScriptedUser(PARTS), PARTS[0].asked) == [PARTS[0].text]


def test_what_was_said_before_is_nothing_new() -> None:
    """Facts of the opening, and those that the policy names, keep no sentence back."""
    user = ScriptedUser(PARTS, opening="Hello, it is about K55.")
    assert said(user, "I see a call from 030, extension 12.") == [PARTS[0].text]


def test_consent_is_given_without_the_facts_beside_it() -> None:
    """Another question for consent gets the yes at once, whatever stands in its sentence; the rest follows."""
    turns = (
        UserTurn(
            text="My limit: 40. Yes, for 35. I leave on day 7.",
            asked="I will cancel your lamp. Do you want me to proceed?",
        ),
        UserTurn(text="Bye", asked="Anything else?", ends=True),
    )
    user = ScriptedUser(turns)
    assert said(user, "The garden chair goes back then: shall I go ahead?") == ["Yes, for 35."]
    assert said(user, "Shall I go ahead with that, too?", "Fine.") == [
        "My limit: 40.",
        "I leave on day 7.",
    ]


def test_two_recorded_questions_asked_at_once_are_both_answered() -> None:
    """A policy that asks for two things gets both; one that asks for the nearer alone gets that alone."""
    turns = (
        UserTurn(text="My name is Ada.", asked="Could you tell me your full name?"),
        UserTurn(text="It is ticket 77.", asked="Could you tell me the ticket number?"),
        UserTurn(text="Bye", asked="Anything else?", ends=True),
    )
    both = "Could you tell me your full name, and the ticket number?"
    assert said(ScriptedUser(turns), both) == ["My name is Ada. It is ticket 77."]
    assert said(ScriptedUser(turns), "Tell me your full name, could you?") == ["My name is Ada."]


def test_an_abbreviation_ends_no_sentence() -> None:
    """A full stop before a digit does not part what stands before it from the number."""
    turns = (UserTurn(text="Please. It is no. 5 there.", asked="When?"), TURNS[3])
    assert said(ScriptedUser(turns), "Understood.", "Understood.") == [
        "Please.",
        "It is no. 5 there.",
    ]


def test_consent_waits_for_the_question_that_it_is_due_to() -> None:
    """A yes spent on a question for something else would be missed before the change."""
    turns = (
        UserTurn(text="Yes, go ahead.", asked="I will refund the order. Do you confirm (yes/no)?"),
        UserTurn(text="No, that's all.", asked="Anything else I can help with?", ends=True),
    )
    user = ScriptedUser(turns)
    reply = user.reply("Could you please give me your e-mail address?")
    assert reply.source == UNKNOWN
    assert said(user, "I will refund 7.58. Do you confirm?") == ["Yes, go ahead."]


ELSEWHERE = (
    UserTurn(text="The small one.", asked="Which size should it have?", other_recording=True),
    UserTurn(
        text="No, wait. I keep it.",
        asked="I will cancel the lamp. Do you confirm?",
        other_recording=True,
    ),
)


def test_another_recording_answers_what_this_one_was_never_asked() -> None:
    """One agent asked for the size, the other did not: the user is the same."""
    user = ScriptedUser((*TURNS, *ELSEWHERE))
    assert said(user, "Which size do you want?", "Your zip code?", "Which size was it?") == [
        "The small one.",
        "My zip is 90210",
        "The small one.",
    ]


def test_what_another_recording_says_is_never_said_unasked() -> None:
    """Statements, and questions that this recording knows, get this recording's words, in order and to the end."""
    user = ScriptedUser((*TURNS, *ELSEWHERE))
    assert [user.reply(turn.asked).text for turn in TURNS] == [turn.text for turn in TURNS]
    user = ScriptedUser((*TURNS, *ELSEWHERE))
    assert said(user, "Understood.", "I have noted the size.") == [t.text for t in TURNS[:2]]


def test_who_was_never_asked_to_agree_answers_as_in_another_recording() -> None:
    """This recording's agent did it at once; asked first, the user had withdrawn."""
    user = ScriptedUser((TURNS[3], ELSEWHERE[1]))
    reply = user.reply("Shall I go ahead and cancel it (yes/no)?")
    assert (reply.text, reply.source) == ("No, wait. I keep it.", RECORDED)
    assert said(user, "Then I leave it. Is there anything else?") == ["No thanks"]
    assert said(ScriptedUser((*TURNS, ELSEWHERE[1])), "Shall I place the order?") == ["Yes"]


def test_a_correction_comes_first_also_where_the_question_says_nothing() -> None:
    """A question for consent without any detail is no nearer to the agreement than to the correction before it."""
    plan = "I will open a return of Dumbbell Set from order 26/2456. 74.25 goes to your {}. Do you confirm (yes/no)?"
    turns = (
        UserTurn(text="To my credit card, please.", asked="Where should the money go?"),
        UserTurn(
            text="Hmm, no. Put the money on my gift card instead, please.",
            asked=plan.format("credit card"),
        ),
        UserTurn(text="Yes.", asked=plan.format("gift card")),
        UserTurn(text="No, thank you. Bye.", asked="Is there anything else?", ends=True),
    )
    user = ScriptedUser(turns)
    question = "I will do that for you now. Do you confirm (yes/no)?"
    assert said(user, "Where should the money go?", question, question) == [
        turn.text for turn in turns[:3]
    ]


LOOKED = (
    UserTurn(text="Yes", asked="Shall I cancel order 7 for 12.50?", after_calls=True),
    UserTurn(text="Bye", asked="Order 7 is cancelled.", ends=True, after_calls=True),
)


def test_who_spoke_only_after_calls_waits_for_them() -> None:
    """An announcement before the look-up or the change gets an OK, and costs no turn."""
    user = ScriptedUser(LOOKED, opening="Cancel order 7.")
    assert user.reply("Hello! I will look into that.", acted=False).text == "OK."
    assert user.reply("Shall I cancel order 7 for 12.50?").text == "Yes"
    waiting = user.reply("Thank you, I do that at once.", acted=False)
    assert (waiting.text, waiting.ended) == ("OK.", False)
    assert user.reply("It went through.").ended


def test_who_said_goodbye_does_not_wait_for_calls() -> None:
    """Whatever else they could have said: the policy that says goodbye as well is left alone, and can do nothing any more."""
    asked = UserTurn(text="Yes.", asked="I will cancel it. Do you confirm?", after_calls=True)
    bye = UserTurn(text="That's all.", asked="Is there anything else I can help with?")
    user = ScriptedUser((asked, bye))
    assert said(user, "Is there anything else I can help with?") == ["That's all."]
    assert user.reply("Thank you. Goodbye.", acted=False) == Reply(ended=True)
    # Who agreed last waits for what they agreed to.
    user = ScriptedUser((replace(bye, after_calls=True), asked))
    assert said(user, "I will cancel it. Do you confirm?") == ["Yes."]
    assert user.reply("One moment.", acted=False).text == "OK."


def test_who_waits_for_calls_does_not_wait_for_ever() -> None:
    """A policy that never acts comes to its end."""
    user = ScriptedUser(LOOKED[1:])
    replies = [user.reply("Soon.", acted=False) for _ in range(3)]
    assert [reply.ended for reply in replies] == [False, False, True]


def test_who_was_never_asked_to_agree_agrees() -> None:
    """Where the recorded agent changed something without a question, the user lets another one do so that asks."""
    user = ScriptedUser(LOOKED[1:], opening="Cancel order 7.")
    asked = user.reply("Shall I go ahead?")
    assert (asked.text, asked.ended) == ("OK.", False)
    assert user.reply("Order 7 is cancelled.").ended


OPENED = "Hi there! I want to cancel my order ORD-7842. My name is Ana Costa, postcode 45557."
LEAVES = (UserTurn(text="No, thank you. Bye.", asked="It is cancelled. Anything else?", ends=True),)


def test_who_is_asked_for_what_the_opening_told_says_it_once_more() -> None:
    """Nobody leaves because they are asked for a name that they gave already; asked again and again they do."""
    user = ScriptedUser(LEAVES, opening=OPENED)
    question = "Could you give me your full name and postcode, please?"
    assert said(user, question) == ["My name is Ana Costa, postcode 45557."]
    assert said(user, question)[-1] == LEAVES[0].text


def test_a_question_that_a_turn_answers_gets_that_turn() -> None:
    """The opening is said once more only where no turn that is left is nearer."""
    turns = (UserTurn(text="It is ana@example.com.", asked="What is your e-mail address?"), *LEAVES)
    user = ScriptedUser(turns, opening=OPENED)
    assert said(user, "Your e-mail address, please?") == ["It is ana@example.com."]


def test_who_was_recorded_with_one_message_says_it_once_more() -> None:
    """Also without any turn to come; a question for more wishes asks for nothing that was told."""
    opened = "My order is W123456. I want to cancel it."
    assert said(ScriptedUser([], opening=opened), "What is your order number?") == [
        "My order is W123456."
    ]
    user = ScriptedUser(LEAVES, opening="I need help with returning a jacket.")
    assert said(user, "Is there anything else that I can help you with?") == [LEAVES[0].text]


def test_who_has_said_everything_lets_the_policy_go_on_that_has_done_nothing_yet() -> None:
    """An announcement is no answer; a figure is one, and after a call words are one."""
    user = ScriptedUser((), opening="Cancel order 7.")
    assert user.reply("One moment please, I am looking.", acted=False) == Reply(
        text="OK.", source=DERIVED
    )
    assert user.reply("It is cancelled.", acted=True).ended
    assert (
        ScriptedUser((), opening="What does it cost?").reply("It costs 12.50.", acted=False).ended
    )


def test_who_has_said_everything_agrees_when_asked_to() -> None:
    """Before the change and after a look; nobody agrees to anything else, nor for ever."""
    user = ScriptedUser((), opening="Cancel order 7.")
    asked = "I can do that for you. Shall I go ahead?"
    assert user.reply(asked, acted=True).text == "OK."
    assert user.reply("It is cancelled. Can I do anything else?", acted=True).ended
    assert user.reply(asked, acted=True).text == "OK."
    assert user.reply(asked, acted=True).ended
