"""The operations of the text surface: words in, words out.

Law: who speaks here need not know that facts are filed under anything.
"""

from typing import Final

from recense.operations.materials import MaterialBytes, MaterialRequest
from recense.operations.operation import AnyOperation, Operation
from recense.operations.recall import MoreRequest, Passage, RecallAnswer, RecallRequest
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    RememberedText,
    RememberWords,
    TextHistory,
)

RECALL: Final = Operation(
    name="recall",
    summary="Find what was said in earlier sessions, word for word, and the facts that hold now.",
    request=RecallRequest,
    answer=RecallAnswer,
    surface="text",
    scope="recall",
    abandonable=True,
)
RECALL_MORE: Final = Operation(
    name="recall_more",
    summary="Show more of what surrounds a passage that recall gave, by its anchor.",
    request=MoreRequest,
    answer=Passage,
    surface="text",
    scope="recall",
)
RECALL_MATERIAL: Final = Operation(
    name="recall_material",
    summary="Give the bytes of an image or file that recall named, by its id.",
    request=MaterialRequest,
    answer=MaterialBytes,
    surface="text",
    scope="recall",
)
REMEMBER: Final = Operation(
    name="remember",
    summary="Keep a text, or the messages of a conversation, so that recall finds it.",
    request=RememberWords,
    answer=RememberedText,
    surface="text",
    scope="remember",
    changes=True,
    convergent=True,
)
FORGET: Final = Operation(
    name="forget",
    summary="Withdraw facts by their ids; words alone are answered with those that may be meant.",
    request=ForgetText,
    answer=ForgetAnswer,
    surface="text",
    scope="remember",
    changes=True,
    destructive=True,
)
HISTORY: Final = Operation(
    name="history",
    summary="Tell how something came to be as it is: what was so before, and until when.",
    request=HistoryRequest,
    answer=TextHistory,
    surface="text",
    scope="recall",
)

TEXT_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    RECALL,
    RECALL_MORE,
    RECALL_MATERIAL,
    REMEMBER,
    FORGET,
    HISTORY,
)
