"""Names of clusters: telling from k users on, without anybody's words, whoever gives them."""

from dataclasses import replace

from synth.clusters.clustering import (
    EXACT,
    cluster,
)
from synth.clusters.llm_names import ClusterName, llm_naming, may_be_said, prompt_for
from synth.failures.detection import Failure, detect
from synth.llm import LlmSettings
from tests.unit.clean_conversations import (
    call,
    episode,
    result,
    says,
    user,
)
from tests.unit.failed_readers import BAD, idle, only, refused


def test_below_k_users_the_name_stays_generic() -> None:
    """Six failures of two readers: the tool is named, the error and the wish are not."""
    failures = [refused(i, subject=f"reader {i % 2}") for i in range(6)]
    one = only(cluster(failures), EXACT)
    assert one.name == "Renew loan fails"
    assert not one.named
    assert one.subjects == 2
    assert (one.examples, one.says) == ((), "")


def test_a_rare_value_is_in_nothing_that_is_said_of_a_group() -> None:
    """An error that four readers met holds a word of theirs: no name, error text or example says it; the fifth opens them."""

    def met(number: int) -> Failure:
        said = result("1", "Error: the zanzibar shelf is closed")
        asked = call("1", "renew_loan", loan_id="L")
        steps = (user("Renew my atlas"), asked, said, says("I see."))
        name = f"rare-{number}"
        found = detect(episode(*steps, episode_id=name, subject=f"reader {number % 5}"), BAD)
        assert found is not None
        return found

    few = cluster([met(number) for number in (0, 1, 2, 3, 5, 6)])
    one = only(few, EXACT)
    assert (one.subjects, one.failures) == (4, 6)
    assert "zanzibar" in one.error, "clusters are still told apart by it"
    assert "zanzibar" not in one.name
    assert (one.says, one.examples) == ("", ())
    more = only(cluster([met(number) for number in range(6)], few), EXACT)
    assert "zanzibar" in more.says
    assert more.examples


def test_a_generic_name_becomes_telling_once_and_then_stays() -> None:
    """When the fifth reader comes, the cluster is named; later data do not rename it."""
    few = [refused(i) for i in range(4)]
    first = cluster(few)
    assert not only(first, EXACT).named
    second = cluster([*few, refused(4)], first)
    assert only(second, EXACT).named
    assert only(second, EXACT).cluster_id == only(first, EXACT).cluster_id
    third = cluster(
        [*few, refused(4), *[refused(i, wish="Pay my fine") for i in range(5, 30)]], second
    )
    assert only(third, EXACT).name == only(second, EXACT).name


def test_a_word_said_by_fewer_than_k_users_is_in_no_name() -> None:
    """A rare lower-case word, whoever it belongs to, cannot become a name; a common one can."""
    failures = [
        refused(i, wish="please renew my atlas " + ("zanzibar" if i < 4 else "now"))
        for i in range(12)
    ]
    failures += [idle(i, f"where is the exit {i}") for i in range(12)]
    names = " ".join(c.name for c in cluster(failures).clusters).lower()
    assert "zanzibar" not in names
    assert "atlas" in names


def test_an_undefined_tool_is_not_named() -> None:
    """A tool that no definition knows may be called anything: its name stays out."""
    found = [
        replace(refused(i), focus=("get_marisol_quint",), vocabulary=("get", "loan"), error="")
        for i in range(8)
    ]
    assert "marisol" not in only(cluster(found), EXACT).name.lower()


def test_a_model_may_name_a_cluster_under_the_same_rule() -> None:
    """Its name is used where it says nothing that fewer than k said, and dropped where it does or fails."""
    failures = [
        refused(i, wish="renew my atlas" + (" zanzibar" if i == 3 else "")) for i in range(8)
    ]

    def named(reply: str) -> str:
        naming = llm_naming(LlmSettings(model="m", attempts=1), k=5, complete=lambda _, __: reply)
        return only(cluster(failures, naming=naming), EXACT).name

    assert (
        named('{"name": "Renewals refused because of a hold"}')
        == "Renewals refused because of a hold"
    )
    for bad in (
        '{"name": "Zanzibar atlas refused"}',
        '{"name": "Loan 12 refused"}',
        "no json",
        '{"name": "x", "more": 1}',
        '{"name": ""}',
    ):
        assert named(bad).startswith("Renew loan fails")


def test_the_question_holds_no_values() -> None:
    """What is sent to a model is tools, counts and facets, whose values are taken out."""
    failures = [refused(i, wish=f"Renew my atlas L-{i}, I am Marisol Quint") for i in range(8)]
    one = only(cluster(failures), EXACT)
    prompt = prompt_for(one, failures)
    assert "renew my atlas" in prompt
    assert "Marisol" not in prompt
    assert "marisol" not in prompt
    assert "L-3" not in prompt
    assert may_be_said("Renewals refused", failures, k=5)
    assert ClusterName(name="Renewals refused").name == "Renewals refused"
