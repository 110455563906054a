"""The tree of a conversation: in which order its nodes are told, and which way through it answers.

Laws:

- Parents come before children and siblings in their order, but for the one on the active path,
  which comes last: so the active path reads on without a break where it can.
- The active path leads from the root to the current node; where that is not known, to the newest
  leaf.
- Any links give an order of all nodes, each once: parents that are missing, contradict the
  children's lists or lead in a circle included.
"""

from collections.abc import Iterator, Sequence

from recense.core.values import Value


class TreeNode(Value, kw_only=True, array_like=True):
    """A node as its export links it: names of its parent ("" for none) and children, and the
    instant of its message.
    """

    name: str
    parent: str
    children: tuple[str, ...]
    at: int | None


class Arrangement(Value, kw_only=True):
    """The order of all nodes, and the active path, root first; both as indexes."""

    order: tuple[int, ...]
    path: tuple[int, ...]


def arranged(nodes: Sequence[TreeNode], current: str) -> Arrangement:
    """Return how the nodes of a tree are told; ``current`` is the name of the current node."""
    index = {node.name: place for place, node in enumerate(nodes)}
    parents = _parents(nodes, index)
    below = _children(nodes, index, parents)
    here = index.get(current)
    path = _climbed(parents, _newest_leaf(nodes, below) if here is None else here)
    return Arrangement(order=tuple(_told(parents, below, frozenset(path))), path=tuple(path))


def _parents(nodes: Sequence[TreeNode], index: dict[str, int]) -> list[int | None]:
    """Return the parent of each node: the one it names, else the one that lists it."""
    parents: list[int | None] = [
        index.get(node.parent) if node.parent != node.name else None for node in nodes
    ]
    for place, node in enumerate(nodes):
        for name in node.children:
            child = index.get(name)
            if child is not None and child != place and parents[child] is None:
                parents[child] = place
    return parents


def _children(
    nodes: Sequence[TreeNode], index: dict[str, int], parents: Sequence[int | None]
) -> list[list[int]]:
    """Return the children of each node: as it lists them, then those that it does not list."""
    below: list[list[int]] = [[] for _ in nodes]
    placed = [False] * len(nodes)
    for place, node in enumerate(nodes):
        for name in node.children:
            child = index.get(name)
            if child is not None and parents[child] == place and not placed[child]:
                below[place].append(child)
                placed[child] = True
    for child, parent in enumerate(parents):
        if parent is not None and not placed[child]:
            below[parent].append(child)
    return below


def _newest_leaf(nodes: Sequence[TreeNode], below: Sequence[Sequence[int]]) -> int | None:
    leaves = [place for place in range(len(nodes)) if not below[place]] or range(len(nodes))
    return max(leaves, key=lambda place: (nodes[place].at or 0, place), default=None)


def _climbed(parents: Sequence[int | None], leaf: int | None) -> list[int]:
    """Return the way from the root down to a node."""
    path: dict[int, None] = {}
    while leaf is not None and leaf not in path:
        path[leaf] = None
        leaf = parents[leaf]
    return list(reversed(path))


def _told(
    parents: Sequence[int | None], below: Sequence[Sequence[int]], path: frozenset[int]
) -> Iterator[int]:
    """Yield every node once: from the roots down, then what hangs on circles."""
    roots = [place for place, parent in enumerate(parents) if parent is None]
    starts = [*sorted(roots, key=path.__contains__), *range(len(parents))]
    told = [False] * len(parents)
    for start in starts:
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if told[place]:
                continue
            told[place] = True
            yield place
            waiting += sorted(below[place], key=path.__contains__)[::-1]
