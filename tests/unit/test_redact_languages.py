"""Conversations in Chinese, Japanese, German and Spanish: people go, every other word stays, and nothing waits."""

# ruff: noqa: RUF001 - marks as these languages write them

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.redaction.quality import measure
from benchmarks.redaction.sets import of_language
from benchmarks.testbeds.people.talks import episode, says, step
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.names.without_capitals import name_alone, people_in
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.values.segments import is_read, segments, words_apart
from redact.values.shapes import emails_in


def past_the_gate(*said: str, answers: tuple[dict[str, str], ...] = ({},)) -> list[Scrubbed]:
    """Conversations of what a user says and one answer of a tool each, past the gate."""
    raw = [
        episode(
            "app",
            number,
            [
                *(says("user", text) for text in said),
                *step("look_up", {"n": number}, json.dumps(answer, ensure_ascii=False), "a"),
            ],
        )
        for number, answer in enumerate(answers)
    ]
    policy = Policy()
    vault = Vault(None, b"a key for measurements, 32 bytes")
    learnt = learn(raw, (), policy=policy)
    return list(scrub(raw, learnt=learnt, vault=vault, policy=policy))


def texts(done: list[Scrubbed]) -> str:
    """All that the steps of conversations say."""
    return "\n".join(step.content or "" for one in done for step in one.clean.steps)


@pytest.mark.parametrize(
    ("text", "gone", "stays"),
    [
        ("我爱人戚薇薇也去，电话13912345678。", ["戚薇薇", "13912345678"], ["我爱人", "也去，电话"]),
        ("麻烦把票寄给我同事姚思远，地址是杭州市西湖区文三路100号。", ["姚思远", "文三路"], ["麻烦把票寄给我同事", "地址是"]),
        ("昨天是魏子墨帮我办理的。", ["魏子墨"], ["昨天是", "帮我办理的"]),
        ("请转告欧阳女士，会议改到明天。", ["欧阳女士"], ["女士，会议改到明天。"]),
        ("妻の高橋陽菜も行きます。電話は090-1234-5678です。", ["高橋", "陽菜", "090-1234-5678"], ["妻の", "も行きます。電話は", "です。"]),
        ("森田様、東京都港区芝公園4-2-8でお待ちください。", ["森田", "芝公園4-2-8"], ["様、", "でお待ちください。"]),
    ],
)  # fmt: skip
def test_people_go_and_the_sentence_stays(text: str, gone: list[str], stays: list[str]) -> None:
    """A name, an address and a phone in prose, which no tool returned."""
    done = past_the_gate(text)
    out = texts(done)
    assert [value for value in gone if value in out] == []
    assert [words for words in stays if words not in out] == []
    assert not any(one.held for one in done)


@pytest.mark.parametrize(
    "text",
    [
        "高峰时段建议您提前购买，祝您旅途愉快，谢谢。",
        "根据退改规定，出发前两小时以内不可退票。三张票一共120元，任何问题请联系客服。",
        "今天多云转晴，马上安排和谐号动车组，关于方案请看说明。",
        "のぞみ42号で京都へ行き、松本城を見ます。朝食が付いています。",
        "規定により、出発の二時間前を過ぎると払い戻しはできません。お客様、皆様、どうぞ。",
    ],
)
def test_sentences_without_people_stay_as_they_are(text: str) -> None:
    """Weekdays, places, trains, amounts and words that begin with a letter of a surname are nobody's."""
    assert texts(past_the_gate(text)).splitlines()[0] == text


def test_a_remark_loses_its_name_and_code_and_keeps_its_words() -> None:
    """It differs from person to person, and no longer waits as a whole."""
    remarks = (
        "客户要求靠窗座位，已联系李慧敏确认。",
        "需要加床，密码是4812。",
        "由程一诺女士代办，已核实证件。",
        "不吃辣。",
    )
    answers = tuple(
        {"手机号": f"1391234567{number}", "经过": remark} for number, remark in enumerate(remarks)
    )
    out = texts(past_the_gate("你好", answers=answers))
    assert "[withheld]" not in out
    assert not any(value in out for value in ("李慧敏", "4812", "程一诺"))
    assert "客户要求靠窗座位，已联系" in out
    assert "女士代办，已核实证件。" in out


@pytest.mark.parametrize("value", ["有票 662元", "剩余11张票 1998元", "一等座"])
def test_amounts_with_a_unit_are_no_plates(value: str) -> None:
    """A letter at once behind a number counts it."""
    answers = tuple({"姓名": f"王小{one}", "座": value} for one in "明红刚")
    assert value in texts(past_the_gate("你好", answers=answers))


def test_an_address_of_mail_ends_where_another_script_begins() -> None:
    """Words at once beside an address are none of it."""
    assert list(emails_in("请发到wei.li@example.com谢谢，もう一度taro@example.jpに")) == [
        "wei.li@example.com",
        "taro@example.jp",
    ]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("佐藤美咲", "佐藤 美咲"),
        ("孙子涵", "孙 子涵"),
        ("サトウ ミサキ", "サトウ ミサキ"),
        ("定期券", None),
        ("经济舱", None),
        ("", None),
    ],
)
def test_a_value_is_a_name_or_a_thing(value: str, name: str | None) -> None:
    """Of a value alone: the two parts of a name, or nothing."""
    assert name_alone(value) == name


def test_scripts_that_nobody_reads_are_told_apart() -> None:
    """Thai and Korean words are not found, so such a text still waits."""
    assert is_read("Ana 王芳 さん")
    assert not is_read("สวัสดี")
    assert not is_read("안녕하세요")


@given(
    st.text(
        alphabet=st.sampled_from("王李张高山田中さんの様は先生在和去10号路区東京 a@.，。\n"),
        max_size=60,
    )
)
def test_words_stand_where_they_are_said_to(text: str) -> None:
    """Segments are parts of the text in order; people are made of its letters; parting words loses none."""
    end = 0
    for word in segments(text):
        assert end <= word.start
        assert text[word.start : word.end] == word.text
        end = word.end
    for person in people_in(text):
        assert set(person.name) <= set(text) | {" "}
    kept = str.maketrans("", "", " ,.，。")
    assert words_apart(text).translate(kept) == text.translate(kept)


@pytest.mark.parametrize("language", ["zh", "ja", "de", "es"])
def test_few_planted_values_are_left_and_nothing_waits(language: str) -> None:
    """Twelve conversations of another seed than was looked at: one value in thirty at most, one piece of a sentence in five (German, Spanish) or twenty-five."""
    counts = measure(of_language(language, "develop", 12, 17), known=True).counts
    assert counts["people"] > 80
    assert counts["left"] * 30 <= counts["people"]
    assert counts["withheld"] == 0
    assert counts["changed"] * (25 if language in {"zh", "ja"} else 5) <= counts["words"]
