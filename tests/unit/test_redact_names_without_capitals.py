"""Names in scripts without capital letters are found beside a cue or as two listed names, and ordinary words are not."""

import pytest

from redact.names.prose_names import names_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Меня зовут Ирина Соколова.", "Ирина Соколова"),
        ("私の名前は佐藤陽子です。", "佐藤陽子"),
        ("昨日高橋さんと話しました。", "高橋"),
        ("اسمي خالد المنصوري.", "خالد المنصوري"),
        ("تحدث معي طارق النجار أمس", "طارق النجار"),
    ],
)
def test_names_are_found(text: str, name: str) -> None:
    """The whole name, without the words around it."""
    found = {one for _, one in names_in(text)}
    # Where the script has no blank, the two parts of a name have one between them.
    assert name in found | {one.replace(" ", "") for one in found}


@pytest.mark.parametrize(
    "text",
    [
        "皆様、お客様、店員さん、東京都千代田区の日本語の説明書",
        "شكرا جزيلا لكم، الطلب وصل إلى الرياض مع التغليف الجميل جدا",
        "Здравствуйте, Заказ Номер пять: рейс из Москвы в Санкт-Петербург",
        "",
    ],
)
def test_ordinary_words_are_no_names(text: str) -> None:
    """A form of address without a name, a town and a greeting stay."""
    assert list(names_in(text)) == []
