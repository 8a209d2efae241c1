"""Names of months and of days of the week, in the languages that agents write dates in.

In: a folded word. Out: the number of its month, or of its day. Redaction has a table of months of its own, since the runtime
travels alone; a test compares them.
Not here: how a date is written (`facts`).
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november desember",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ocak şubat mart nisan may\u0131s haziran temmuz ağustos eylül ekim kas\u0131m aral\u0131k",
)
"""One row a language, January first."""
MONTHS: Final = {word: number for row in _NAMES for number, word in enumerate(row.split(), 1)} | {
    "sept": 9
}
"""Each name with its number, from 1."""

_DAY_NAMES: Final = (
    "mon tue wed thu fri sat sun",
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "måndag tisdag onsdag torsdag fredag lördag söndag",
    "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "понедельник вторник среда четверг пятница суббота воскресенье",
    "pazartesi sal\u0131 çarşamba perşembe cuma cumartesi pazar",
)
"""One row a language, Monday first."""
WEEKDAYS: Final = {word: day for row in _DAY_NAMES for day, word in enumerate(row.split())} | {
    "tues": 1,
    "thurs": 3,
    "sonnabend": 5,
}
"""Each name with the number of its day, Monday 0 as `date.weekday` counts."""
