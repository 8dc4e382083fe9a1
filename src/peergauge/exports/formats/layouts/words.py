"""Words of headers that tell names, grades and criteria apart, in five languages."""

from __future__ import annotations


def choose(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


ORDINALS: dict[str, int] = {
    word: place
    for place, words in enumerate(
        (
            "first 1st erste erster erstes ersten erstem premier premiere 1er 1ere primer primero "
            "primera primo prima one",
            "second 2nd zweite zweiter zweites zweiten zweitem deuxieme seconde 2eme segundo "
            "segunda secondo seconda two",
            "third 3rd dritte dritter drittes dritten drittem troisieme 3eme tercer tercero "
            "tercera terzo terza three",
            "fourth 4th vierte vierter viertes vierten viertem quatrieme 4eme cuarto cuarta quarto "
            "quarta four",
            "fifth 5th funfte funfter funftes funften funftem cinquieme 5eme quinto quinta five",
            "sixth 6th sechste sechster sechstes sechsten sixieme 6eme sexto sexta sesto sesta six",
            "seventh 7th siebte siebter siebtes siebten septieme septimo septima settimo settima",
            "eighth 8th achte achter achtes achten huitieme octavo octava ottavo ottava",
            "ninth 9th neunte neunter neuntes neunten neuvieme noveno novena nono nona",
            "tenth 10th zehnte zehnter zehntes zehnten dixieme decimo decima",
        ),
        1,
    )
    for word in words.split()
}
"""Ordinal numbers in five languages; ``one`` to ``six`` are used in the same way."""

LAST_PLACE = 99
"""The place of the last block, where a form says "last" instead of a number."""

LAST_WORDS = "last letzte letzter letztes letzten dernier derniere ultimo ultima"

ORDINALS |= dict.fromkeys(LAST_WORDS.split(), LAST_PLACE)

WHICH = choose(
    "which who whom whose what welche welcher welches welchen wen wer wessen quel quelle quels "
    "quelles qui cual quien que quale quali chi name nom nombre nome id choose select selected "
    "wahlen wahle auswahlen choisissez selectionnez elige seleccione scegli seleziona"
)
"""Words of questions that ask for a name."""

HOW = choose("how wie comment como come rate grade evaluate assess score bewerten bewerte")
"""Words of questions that ask for a grade."""

RATEES = choose(
    "teammate teammates member members partner partners colleague colleagues classmate classmates "
    "mitglied mitglieder teammitglied teammitglieder gruppenmitglied gruppenmitglieder kollege "
    "kollegin kommilitone kommilitonin membre membres coequipier coequipiers camarade collegue "
    "miembro miembros companero companera companeros integrante membro membri compagno compagna "
    "compagni reviewee reviewees ratee ratees assessee peer peers reviewed evaluated assessed "
    "graded bewertete bewertetes bewerteten evalue evaluee evaluado evaluada valutato valutata"
)
"""Words for those who are rated."""

NOT_GRADES = choose(
    "confidence confident certain certainty sure expertise familiar familiarity hours minutes "
    "seconds sicher sicherheit vertrautheit konfidenz confiance confianza seguro seguridad fiducia "
    "sicurezza order rank ranking count size age year"
)
"""Words of numbers that are no grades."""

REMARKS = choose(
    "comment feedback remark justification reason suggestion kommentar anmerkung bemerkung "
    "ruckmeldung begrundung commentaire remarque retour comentario observacion "
    "observaciones justificacion commento osservazione"
)
"""Words of columns in which somebody wrote a text."""

CRITERION_NAMES = choose(
    "clarity quality depth style content structure originality creativity design organization "
    "organisation grammar presentation communication contribution participation effort rigor "
    "rigour accuracy correctness relevance significance soundness novelty overall teamwork "
    "leadership argument evidence method methods results discussion introduction conclusion "
    "language references formatting layout code documentation testing usability klarheit qualitat "
    "tiefe inhalt aufbau struktur originalitat kreativitat sprache clarte qualite profondeur "
    "contenu originalite claridad calidad profundidad contenido originalidad chiarezza qualita "
    "profondita contenuto originalita homework quiz exam midterm final lab week test module hw "
    "length height width size words pages duration price age weight"
)
"""Words that name a criterion or an assignment, and neither people nor submissions."""

NAMING = choose(
    "did do you have i we she he they the of you re are is was to be a an title titel titre title "
    "full first last been your hast du haben sie ich als wurde zuerst avez vous en ete que has ha "
    "usted hai haben wir et und and y e the list email mail address und el la le il lo les das der "
    "die den dem des als group listed chose chosen choice"
)
"""Further words of headers that ask for a name."""

OF_EACH = choose(
    "of from by for each every following von fur jede jeden jedes aus der des de du des pour "
    "chaque por para cada di da del della per ogni"
)

TEAM_WORDS = choose("team group gruppe groupe equipe grupo equipo gruppo squadra")

WORK_CODES = choose("p s t g proj project sub team grp group projekt gruppe")

QUESTION_CODES = choose(
    "q question frage item criterion crit c k kriterium week w hw ex a aufgabe task part teil v "
    "var lo level homework quiz exam lab assignment ubung blatt seite page day year"
)

GIVEN_BY_WORDS = choose("by von durch par por da de")

FROM_WORDS = choose("from rater grader reviewer giver evaluator assessor by von de da marker judge")

TO_WORDS = choose(
    "to ratee reviewee receiver recipient evaluatee assessee about an fur for a pour per"
)
