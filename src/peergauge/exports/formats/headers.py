"""Recognising the headers of a table, in five languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from peergauge.exports.formats.opening import number
from peergauge.exports.records import Role


class Scale(NamedTuple):
    """A header without its scale, and the ends of the scale that it states."""

    name: str
    lowest: float | None = None
    highest: float | None = None


_NUMBER = r"(\d+(?:[.,]\d+)?)"
_UNIT = r"\s*(?:points?|pts?\.?|punkte|puntos|punti|p\.?|marks?|stars?|%)?\s*"
_OUT_OF = r"(?:max(?:imum|\.)?|out\s+of|von|sur|sobre|su|de|/|up\s+to|bis)\s*[:=]?\s*"
_RANGE = rf"(?:from\s+|von\s+|de\s+|da\s+)?{_NUMBER}\s*(?:-|–|—|\.\.|to|bis|à|a)\s*{_NUMBER}{_UNIT}"
_SCALES = [
    (re.compile(rf"\s*[(\[]\s*{_RANGE}[)\]]\s*$", re.IGNORECASE), True),
    (re.compile(rf"\s*[(\[]\s*(?:{_OUT_OF})?{_NUMBER}{_UNIT}[)\]]\s*$", re.IGNORECASE), False),
    (
        re.compile(
            rf"\s*(?:/|\b(?:out\s+of|von|sur|sobre|max\.?)\s)\s*{_NUMBER}{_UNIT}$", re.IGNORECASE
        ),
        False,
    ),
]


_LABELLED_ENDS = re.compile(
    rf"[(\[,:;]\s*{_NUMBER}\s*(?:=|:|-|–|\()\s*[^\W\d][^=]*?[\s,;–-]{_NUMBER}\s*(?:=|:|-|–|\()\s*"
    r"[^\W\d][^=]*$",
    re.IGNORECASE,
)
"""A scale by its labelled ends, as in (1 = poor, 5 = excellent)."""
_FIRST_RANGE = re.compile(rf"\s*[(\[]\s*{_RANGE}[,;][^()\[\]]*[)\]]\s*$", re.IGNORECASE)
"""A range before other words in brackets, as in (0-10, weight 70%)."""
_INNER_RANGE = re.compile(rf"[(\[][^()\[\]]*?[\s,;:]{_RANGE}[)\]]\s*\*?$", re.IGNORECASE)
"""A range after other words in brackets, as in (author, 1-5)."""
_SPOKEN_RANGE = re.compile(
    rf"\b(?:(?:scale|rate|range|skala|echelle|escala|scala)\b\D{{0,30}}?{_RANGE}|"
    rf"(?:from|between|von|entre|tra)\s+{_NUMBER}\s+(?:to|and|bis|et|y|e|à|a)\s+{_NUMBER}\b)",
    re.IGNORECASE,
)
"""A range in a sentence, as in "on a scale from 1 to 10"."""

MAX_HEADER_SCALE_LETTERS = 200
"""Letters at the end of a header that are searched for labelled ends."""


def scale_of(header: str) -> Scale:
    """Parse the scale that a header states, in the ways in which people write it.

    >>> scale_of("Clarity (1-10)")
    Scale(name='Clarity', lowest=1.0, highest=10.0)
    >>> scale_of("Total Score (45.0)"), scale_of("Punkte / 20"), scale_of("Rating")
    (Scale(name='Total Score', lowest=None, highest=45.0), Scale(name='Punkte', lowest=None, \
highest=20.0), Scale(name='Rating', lowest=None, highest=None))
    """
    for pattern, both in _SCALES:
        # Only the end is searched, so that a very long header costs nothing.
        start = max(0, len(header) - 60)
        if found := pattern.search(header, start):
            ends = [number(end) for end in found.groups()]
            lowest, highest = (ends[0], ends[1]) if both else (None, ends[0])
            name = header[: found.start()].strip(" :-–")
            if name and highest and (lowest is None or lowest < highest):
                return Scale(name, lowest, highest)
    tail = header[-MAX_HEADER_SCALE_LETTERS:]
    for whole in (_LABELLED_ENDS, _FIRST_RANGE, _INNER_RANGE, _SPOKEN_RANGE):
        if found := whole.search(tail):
            low, high = (number(end) for end in found.groups() if end is not None)
            if low is not None and high is not None and low < high:
                cut = len(header) - len(tail) + found.start()
                name = header[:cut].strip(" :-–(") if whole is not _SPOKEN_RANGE else header
                return Scale(name or header, low, high)
    return Scale(header)


_WEIGHT = re.compile(
    r"(?:weight\w*|gewicht\w*|poids|ponderation|peso|counts?|zahlt)\W{0,3}(\d+(?:[.,]\d+)?)\s*%|"
    r"(\d+(?:[.,]\d+)?)\s*%\s*(?:weight|of the|gewicht|der|du|del)",
    re.IGNORECASE,
)


def weight_of(header: str) -> float | None:
    """The weight of a criterion that a header states in percent; None if it states none.

    >>> weight_of("Content (0-10, weight 70%)"), weight_of("Content (0-10)")
    (0.7, None)
    """
    found = _WEIGHT.search(header[-MAX_HEADER_SCALE_LETTERS:])
    value = None if found is None else number(found[1] or found[2])
    return None if value is None else value / 100


def words_of(header: str) -> list[str]:
    """The words and numbers of a header, in lower case and without accents.

    >>> words_of("Group#_reviewing"), words_of("PrüferIn 2")
    (['group', 'reviewing'], ['prufer', 'in', '2'])
    """
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", header[:300])
    plain = "".join(c for c in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(c))
    return re.findall(r"[^\W\d_]+|\d+", plain.casefold())


def _words(text: str) -> dict[str, int]:
    """Words with their ranks; the list begins with the most specific word."""
    return {word: place for place, word in enumerate(text.split())}


ASSIGNMENTS = _words(
    "assignment homework hw task exercise hausaufgabe aufgabe ubung ubungsblatt devoir tache "
    "exercice tarea ejercicio compito esercizio"
)
SUBMISSIONS = _words(
    "submission artifact artefact work project essay paper poster presentation product group team "
    "abgabe einreichung arbeit projekt aufsatz gruppe "
    "soumission rendu copie travail remise projet dissertation groupe equipe "
    "entrega trabajo proyecto ensayo grupo equipo "
    "consegna elaborato lavoro progetto saggio gruppo"
    " talk pitch video report portfolio demo stand booth prototype article draft text slides app "
    "trabalho equipe groep werkstuk inzending"
)
GRADERS = _words(
    "grader reviewer rater assessor marker evaluator scorer examiner judge peer "
    "bewerter bewerterin bewertende prufer pruferin gutachter gutachterin korrektor korrektorin "
    "evaluateur evaluatrice correcteur correctrice relecteur relectrice examinateur notateur "
    "evaluador evaluadora revisor revisora corrector correctora calificador "
    "valutatore valutatrice revisore correttore esaminatore"
    " listener visitor reader critic juror observer voter commenter "
    "beoordelaar avaliador avaliadora"
)
AUTHORS = _words(
    "author reviewee assessee ratee gradee evaluatee teammate recipient submitter owner writer "
    "autor autorin verfasser verfasserin auteur auteure autrice autora autore"
    " candidate presenter speaker performer"
)
PEOPLE = _words(
    "sid netid username login matrikelnummer benutzername benutzer user student participant "
    "learner member person personne persona studierende studierender studentin schuler schulerin "
    "teilnehmer etudiant etudiante eleve utilisateur estudiante alumno alumna usuario "
    "studente studentessa alunno utente email mail courriel correo name nom nombre nome "
    "surname forename vorname nachname familienname prenom apellido cognome "
    "matricule matricula matricola matriculation"
    " aluno aluna colega classmate collega"
)
MEMBERS = _words("member mitglied mitglieder membre miembro integrante membro membri componenti")
GRADES = _words(
    "grade score mark rating rate points point pts stars "
    "note punkte punktzahl bewertung cote nota calificacion puntuacion puntaje puntos valoracion "
    "voto punteggio punti valutazione"
    " cijfer pontos pontuacao punten"
)
TOTALS = _words(
    "total overall sum whole gesamt gesamtpunkte gesamtpunktzahl gesamtnote gesamtbewertung summe "
    "global globale somme general totale somma complessivo"
)
TRUTHS = _words("truth true gold reference wahr verite verdad verita")
STAFF = _words(
    "staff instructor teacher lecturer professor prof tutor ta expert lehrer lehrerin dozent "
    "dozentin lehrperson enseignant enseignante professeur profesor profesora docente "
    "insegnante professore"
)
ROLES = _words("role rolle rol ruolo")
STATES = _words("state status zustand etat statut estado stato")
WEIGHTS = _words("weight gewicht gewichtung poids ponderation peso")
CRITERIA = _words(
    "criterion criteria rubric dimension item question aspect kriterium aspekt frage "
    "critere criterio pregunta domanda"
    " vraag"
)
# Columns that describe a review, or aggregate several, hold none of the above.
OTHERS = _words(
    "comment comments feedback text remark kommentar commentaire comentario commento timestamp "
    "time date datum zeit heure fecha hora ora average avg mean median mittelwert durchschnitt "
    "moyenne mediane promedio mediana media std variance rank count start completion duration url "
    "link attempt version title titel titre section word character deadline year age phone room "
    "semester telefon telephone telefono due day week month birthday submitted created modified"
)
WEEKS = _words(
    "round module unit milestone sprint phase iteration week lab runde woche einheit semaine ronde "
    "semana ronda unidad settimana unita giro"
)
"""Words for assignments that also have other meanings."""
# What a reviewer says about the review or about themselves is no grade of the submission.
REVIEWER_TRAITS = _words(
    "confidence confident expertise familiarity familiar certainty reputation reliability "
    "sicherheit vertrautheit fachkenntnis confiance certitude familiarite confianza certeza "
    "fiducia certezza"
)
# These may also be criteria, unless the header speaks of the review or the reviewer.
POSSIBLE_TRAITS = _words(
    "helpfulness helpful usefulness useful quality knowledge experience sure difficulty "
    "hilfreich nutzlich qualitat schwierigkeit utile utilite qualite util utilidad calidad "
    "utilita qualita"
)
ABOUT_REVIEWS = _words(
    "review feedback comment reviewer your you kommentar ruckmeldung avis retour comentario "
    "commento recensione resena"
)
DERIVED_GRADES = _words(
    "z zscore percentile standardised standardized normalised normalized adjusted quartile decile "
    "perzentil percentil percentile rang rank"
)
"""Words of columns that were computed from grades."""
COUNTS = _words(
    "count counts anzahl zahl quantity attempts words characters minutes seconds hours length "
    "duration dauer duree duracion durata minuten sekunden stunden longueur cantidad "
    "conteggio reviews comments children size"
)
YES = _words("yes y true ja j wahr oui o vrai si s verdadero vero x 1 self own")
NO = _words("no n false nein falsch non faux falso not 0 peer other")
ANSWERS = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
"""Answers to a yes-or-no question in five languages, without accents."""
IDS = _words("id ids nr no number nummer num numero matricule code key hash")
SMALL = _words("the of by for a an peer review reviewer grader rater assessor given my your value")

SECTION_WORDS = frozenset(
    (
        *("section", "sections", "class", "course", "cohort", "tutorial", "seminar"),
        *("sektion", "kurs", "klasse", "seccion", "curso", "clase"),
        *("sezione", "classe", "corso", "cours"),
    )
)
"""Words in the names of files and sheets that stand for a part of the students."""

DETAILS = {
    "email": r"e ?mails?|mail|courriel|correo",
    "login": r"login|user ?name|net ?id|benutzername|nom d utilisateur",
    "sis": r"sis|sid|org ?defined ?id|matrikel(nummer|nr)?|matricule|matricola|"
    r"student ?(id|number|no|nr|num)|id ?(number|nummer)|numero (de|d) .*",
    "lms": r"(user|canvas|moodle|lms) ?(user )?id",
    "first name": r"(first|given|fore) ?names?|vorname|prenom",
    "last name": r"(last|family|sur) ?names?|nachname|familienname|nom de famille|apellidos?|"
    r"cognome",
    "name": r"names?|nom|nombre|nome",
    "section": r"sections?|sektion|seccion|sezione",
}
"""Patterns of headers that hold a detail about a person."""

_WHOSE = r"(what|is|your|the|full|sortable|display|complete|s|sis|address|adresse|of|der|des|du)"


def detail_of(header: str) -> str | None:
    """The detail about a person that a column with this header holds; None if it is another.

    >>> detail_of("OrgDefinedId"), detail_of("Reviewer e-mail"), detail_of("SIS Login ID")
    ('sis', 'email', 'login')
    >>> detail_of("Student"), detail_of("Team name"), detail_of("Section 2 clarity")
    (None, None, None)
    """
    words = words_of(header)
    plain = " ".join(words)
    for detail, pattern in DETAILS.items():
        if found := re.search(rf"\b(?:{pattern})\b", plain):
            rest = f"{plain[: found.start()]} {plain[found.end() :]}".split()
            known = (IDS, PEOPLE, GRADERS, AUTHORS, STAFF)
            if all(
                re.fullmatch(_WHOSE, word) or any(_known(word, one) for one in known)
                for word in rest
            ):
                return detail
    return None


def details_of(headers: Sequence[str]) -> list[str | None]:
    """The detail about a person that each column holds, as :func:`detail_of` has it.

    Beside a first name, a column that is only called name holds the last name, and beside a last
    name, it holds the first name.

    >>> details_of(["Prénom", "Nom"]), details_of(["Nombre", "Apellidos"])
    (['first name', 'last name'], ['first name', 'last name'])
    >>> details_of(["Name", "Reviewer surname"]), details_of(["Nome", "Nome do autor"])
    (['name', 'last name'], ['name', None])
    """
    found = [detail_of(header) for header in headers]
    known: dict[tuple[str, ...], list[str | None]] = {}
    for header, detail in zip(headers, found, strict=True):
        if detail in _NAME_DETAILS:
            known.setdefault(_whose(header), []).append(detail)
    for place, header in enumerate(headers):
        beside = known.get(_whose(header), []) if found[place] == "name" else []
        if sorted(map(str, beside)) == ["first name", "name"]:
            found[place] = "last name"
        elif sorted(map(str, beside)) == ["last name", "name"]:
            found[place] = "first name"
    return found


_NAME_DETAILS = ("first name", "last name", "name")


def _whose(header: str) -> tuple[str, ...]:
    """The words of a header that say whose detail it holds."""
    plain = " ".join(words_of(header))
    for detail in _NAME_DETAILS:
        plain = re.sub(rf"\b(?:{DETAILS[detail]})\b", " ", plain)
    return tuple(word for word in plain.split() if not re.fullmatch(_WHOSE, word))


_ACT = r"(?:review|evaluat|grad|rat|assess|mark|scor|judg|critiqu)"
_SEE = "watch|see|hear|visit|attend|listen"
_GIVEN_BY = re.compile(
    rf"\b{_ACT}\w* by\b|\b(?:submitted|completed|filled \w+|given) by\b|"
    r"\b(?:bewertet|beurteilt|korrigiert|begutachtet|ausgefullt) (?:von|durch)\b|"
    r"\b(?:note|evalue|corrige|relu)e?s? par\b|"
    r"\b(?:evaluad|calificad|corregid|revisad)[oa]s? por\b|"
    r"\b(?:valutat|corrett|revisionat)[oaie] da\b|"
    r"\bwer hat (?:bewertet|beurteilt|begutachtet|korrigiert)\b|"
    r"\b(?:tu|su|mi) (?:nombre|correo|email)\b|"
    rf"\b(?:who|that) {_ACT}(?:s|ed|ing)\b|\b(?:person|student) {_ACT}ing\b|"
    rf"\bwho (?:did|wrote|gave) the (?:{_ACT}\w*|feedback)\b|"
    r"^(?:reviewing|grading|evaluating|assessing|marking) (?:team|group|student|person)\b|"
    r"\bwho are you\b|^from\b|\bgiver\b|\brespondent\b|\bwer bist du\b|\bwer sind sie\b|"
    r"\bqui (?:etes vous|es tu|evalue|note|corrige)\b|"
    r"(?<!\ba )\bquien (?:eres|es usted|evalua|califica|corrige|revisa)\b|"
    r"\bchi (?:sei|valuta|corregge)\b"
)
_PRESENTED_BY = re.compile(
    r"\b(?:presentation|talk|speech|lecture|work|essay|paper|project|poster|submission)s?"
    r"(?: \w+)? (?:by|of)\b"
)
"""The author of the work that is graded, as in "Talk given by"."""

_AIMED_AT = re.compile(
    rf"\b(?:you|i|we|you re|i m)\b.*\b(?:{_ACT}|{_SEE})(?:e|ed|d|ing|s)?\b|"
    r"\b(?:du|sie|ich|ihr)\b.*\b(?:bewert|beurteil|begutacht|korrigier)\w*|"
    r"\b(?:bewert|beurteil|begutacht|korrigier)\w* (?:du|sie|ich|ihr)\b|"
    r"\b(?:vous|tu|je)\b.*\b(?:evalu|not|corrig)\w*|"
    r"\b(?:evalu|not|corrig)(?:e|es|ez) (?:vous|tu)\b|"
    r"\ba quien (?:est[ao]s? )?(?:evalu|calific|corrig|corrij|revis)\w*|"
    r"\bchi (?:stai |hai |sta )?(?:valut(?:i|ando|ato)|corregg(?:i|endo)|corretto)\b|"
    rf"\b{_ACT}(?:ed|ee)\b|\b(?:bewertet|beurteilt|begutachtet)e?[rsnm]?\b|\bzu bewertende\w*|"
    r"\b(?:evalue|corrige|relu)e?s?\b|\b(?:evaluad|calificad|corregid|revisad)[oa]s?\b|"
    r"\b(?:valutat|corrett|revisionat)[oaie]\b|"
    r"\b(?:visited|watched|heard|seen|attended|beoordeelde|avaliad[oa]s?)\b|"
    r"^(?:to|target|recipient|receiver|whose|subject)\b|\bwhose\b|\b(?:wessen|wen)\b"
)
_ONES_OWN = re.compile(
    r"\b(?:your|my|own|dein|deine|deiner|mein|meine|meiner|eigene|eigener|votre|ton|ta|mon|ma|tuo|"
    r"tua|mio|mia|propio|propia)\b|\bare you (?:in|on|part|a member)\b|\byou belong\b"
)


_ONES_PEER = re.compile(
    r"\b(?:your|my|dein\w*|ihr\w*|mein\w*|votre|ton|tu|mi|tuo|tua|su)\s+"
    r"(?:peer|classmate|partner|teammate|colleague|fellow|kommiliton\w*|mitschuler\w*|"
    r"camarade|collegue|companer[oa]|compagn[oa]|collega)"
)
"""The peer of the one who fills in a form."""

MAX_WORDS_OF_A_NAME = 6
"""Longest header in words that names a column, and is not a question."""


def aim_of(header: str) -> str:
    """Whom a column of names means: the ``giver`` of grades, their ``target``, or the giver's own.

    Empty if the header does not say it. ``own`` is the giver's own group or work.

    >>> aim_of("Which project did you review?"), aim_of("Reviewed by"), aim_of("Your group")
    ('target', 'giver', 'own')
    >>> aim_of("Your e-mail address"), aim_of("Student being evaluated"), aim_of("Student")
    ('giver', 'target', '')
    """
    words = words_of(header)
    plain = " ".join(words)
    if re.search(r"\b(?:you|i|we|du|sie|ich|vous|tu|je)\b", plain) and _AIMED_AT.search(plain):
        return "target"
    if _ONES_PEER.search(plain) or _PRESENTED_BY.search(plain):
        return "target"
    if _GIVEN_BY.search(plain):
        return "giver"
    if _AIMED_AT.search(plain):
        return "target"
    if len(words) <= MAX_WORDS_OF_A_NAME:
        # A longer header is a question in which such a word may mean anything.
        if any(_known(word, GRADERS) and word.removesuffix("s") != "peer" for word in words):
            return "giver"
        if any(_known(word, AUTHORS) for word in words):
            return "target"
    if _ONES_OWN.search(plain):
        person = detail_of(header) or any(_known(word, PEOPLE) for word in words)
        return "own" if any(_known(word, SUBMISSIONS) for word in words) or not person else "giver"
    return ""


def counts_something(header: str) -> bool:
    """Whether a column counts or measures something other than points.

    >>> counts_something("Number of reviews done"), counts_something("Number of points")
    (True, False)
    """
    words = words_of(header)
    plain = " ".join(words)
    if any(_known(word, GRADES) for word in words):
        return False
    asks = re.search(
        r"\b(?:number of|no of|nr of|how many|how long|anzahl|nombre de|combien|cuantos)\b", plain
    )
    return asks is not None or any(word in COUNTS for word in words)


def _known(word: str, words: dict[str, int]) -> bool:
    return word in words or word.removesuffix("s") in words


def names_something(header: str) -> bool:
    """Whether a header has a word that says what a column holds.

    >>> names_something("Reviewer name"), names_something("Ada"), names_something("Note (0-20)")
    (True, False, True)
    """
    return any(_known(word, one) for word in words_of(header) for one in _EVERY_WORD)


_EVERY_WORD = (
    ASSIGNMENTS, SUBMISSIONS, GRADERS, AUTHORS, PEOPLE, GRADES, TOTALS, TRUTHS, STAFF, ROLES,
    STATES, WEIGHTS, CRITERIA, OTHERS, IDS,
)  # fmt: skip

HIGHEST = _words(
    "max maximum possible highest out hochstpunktzahl maximal maximale maximalpunkte bareme maximo "
    "maximos massimo massimi"
)
"""Words of a row that holds the highest possible grades."""

RATINGS = _words(
    "excellent outstanding superb great good fair average poor bad weak strong satisfactory "
    "sufficient insufficient unsatisfactory adequate inadequate agree disagree neutral always "
    "often sometimes rarely never sehr gut befriedigend ausreichend mangelhaft schlecht bien "
    "mauvais insuffisant accord bueno malo regular acuerdo buono ottimo sufficiente scarso"
)
"""Words that express a grade."""

ROLE_VALUES = {
    "peer": Role.PEER,
    "student": Role.PEER,
    "self": Role.SELF,
    "staff": Role.STAFF,
    "ta": Role.STAFF,
    "tutor": Role.STAFF,
    "teacher": Role.STAFF,
    "instructor": Role.STAFF,
    "grader": Role.STAFF,
    "calibration": Role.CALIBRATION,
}
