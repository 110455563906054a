from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recense.importers.chatgpt.tree import TreeNode, arranged


def tree(*links: tuple[str, str, str], times: Sequence[int | None] = ()) -> list[TreeNode]:
    """Return nodes of (name, parent, children by letter)."""
    instants = [*times, *[None] * len(links)]
    return [
        TreeNode(name=name, parent=parent, children=tuple(children), at=at)
        for (name, parent, children), at in zip(links, instants, strict=False)
    ]


def told(nodes: list[TreeNode], current: str) -> tuple[str, str]:
    arrangement = arranged(nodes, current)
    return (
        "".join(nodes[place].name for place in arrangement.order),
        "".join(nodes[place].name for place in arrangement.path),
    )


BRANCHING = tree(("r", "", "ab"), ("b", "r", "d"), ("a", "r", "c"), ("c", "a", ""), ("d", "b", ""))


def test_parents_come_before_children_and_the_active_branch_comes_last() -> None:
    assert told(BRANCHING, "d") == ("racbd", "rbd")
    assert told(BRANCHING, "c") == ("rbdac", "rac")


def test_siblings_off_the_path_keep_the_order_in_which_their_parent_lists_them() -> None:
    nodes = tree(("r", "", "cab"), ("a", "r", ""), ("b", "r", ""), ("c", "r", ""), ("d", "r", ""))
    assert told(nodes, "r") == ("rcabd", "r")
    assert told(nodes, "c") == ("rabdc", "rc")


def test_without_a_current_node_the_path_leads_to_the_newest_leaf() -> None:
    times = [0, 5, 9, 1, None]
    links = [("r", "", "ab"), ("a", "r", "c"), ("b", "r", "d"), ("c", "a", ""), ("d", "b", "")]
    assert told(tree(*links, times=times), "")[1] == "rac"
    assert told(tree(*links, times=times), "gone")[1] == "rac"
    assert told(tree(*links), "")[1] == "rbd"


def test_a_node_whose_parent_is_missing_hangs_on_the_one_that_lists_it_or_is_a_root() -> None:
    nodes = tree(("r", "", "a"), ("a", "gone", ""), ("b", "lost", ""))
    assert told(nodes, "a") == ("bra", "ra")


def test_a_circle_of_parents_ends() -> None:
    assert told(tree(("a", "b", "b"), ("b", "a", "a")), "a") == ("ab", "ba")
    assert told(tree(("a", "a", "a")), "a") == ("a", "a")
    assert told(tree(("r", "", ""), ("a", "c", "b"), ("b", "a", "c"), ("c", "b", "a")), "c") == (
        "rabc",
        "abc",
    )


def test_no_node_at_all_is_an_empty_tree() -> None:
    assert told([], "a") == ("", "")


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.sampled_from(["", *"abcdef"]),
            st.text("abcdef", max_size=4),
            st.one_of(st.none(), st.integers(0, 9)),
        ),
        unique_by=lambda each: each[0],
    ),
    st.sampled_from(["", *"abcdef"]),
)
def test_any_links_tell_every_node_once_and_a_path_without_repeats(
    links: list[tuple[str, str, str, int | None]], current: str
) -> None:
    nodes = [
        TreeNode(name=name, parent=parent, children=tuple(children), at=at)
        for name, parent, children, at in links
    ]
    arrangement = arranged(nodes, current)
    assert sorted(arrangement.order) == list(range(len(nodes)))
    assert len(set(arrangement.path)) == len(arrangement.path)
    assert bool(arrangement.path) == bool(nodes)
