"""The words that the analyzer leaves out, as data."""

from __future__ import annotations

_STOP = """
a about all also am an and any are as at be been being but by can cannot could did do does doing done for from get
give going had has have having he her here him his how i if in into is it its just let like may me might more most
much must my need no not now of off on once only or other our out over own please put s same say see shall she
should so some such t than that the their them then there these they thing things this those through to too up us
use used user users uses using very via want was way we well were what when where whether which while who why will
with within without would yes yet you your yours
"""

_STOP_ELSEWHERE = """
am der die das den dem des ein eine einen einem einer und oder aber ist sind war mit von zu zum zur auf fur im
ich du er sie es wir ihr mir mich bitte nicht auch wie was wenn dass kann
le la les un une des du de et ou est sont avec pour dans sur par je tu il elle nous vous ils ce cette ces mon ma
mes que qui ne pas plus
el los las una unos del y o es son con para por en yo mi su que no se lo al
"""

ENGLISH_STOP_WORDS = frozenset(_STOP.split())

STOP_WORDS = ENGLISH_STOP_WORDS.union(_STOP_ELSEWHERE.split())
"""Function words that neither side of a match keeps, folded as the analyzer folds text."""

_CJK_FUNCTION = (
    "的了吗呢吧啊呀嘛哦啦我你您他她它们这那哪把被给请帮很也都就还是在和与个么什怎要想能会可让从到对为以及或但而且用有没下一些点"
    "嗎妳們這請幫給還與個麼會讓從對為沒點"
)

CJK_FUNCTION_CHARACTERS = frozenset(_CJK_FUNCTION).union(map(chr, range(0x3041, 0x3097)))
"""Characters of function words and of asking in Chinese, and hiragana: bigrams of a query count less for them."""
