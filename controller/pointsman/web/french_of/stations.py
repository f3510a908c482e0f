"""What is said of links, of DCC-EX stations and of JMRI."""

from __future__ import annotations

TEMPLATES = (
    # the link, whatever is at its other end
    ("no answer for {a_w} s", "pas de réponse depuis {a_w} s"),
    ("no answer", "pas de réponse"),
    ("everything was stopped meanwhile", "tout a été arrêté entre-temps"),
    ("everything was stopped", "tout a été arrêté"),
    ("everything stays stopped", "tout reste arrêté"),
    (
        "everything was stopped: a person must release it first",
        "tout a été arrêté : une personne doit d'abord le libérer",
    ),
    ("overtaken by a stop", "dépassé par un arrêt"),
    ("overtaken by another command", "dépassé par une autre commande"),
    ("a stop overtook it", "un arrêt l'a dépassé"),
    ("while closing: {a_s}", "pendant la fermeture : {a_s}"),
    ("the link is closed", "la liaison est fermée"),
    ("the link is being closed", "la liaison se ferme"),
    ("the link is being opened again", "la liaison est rouverte"),
    ("the link is not up", "la liaison n'est pas établie"),
    ("the link is not open", "la liaison n'est pas ouverte"),
    ("the link was lost", "la liaison a été perdue"),
    (
        "the link was lost before everything was answered: {a_s}",
        "la liaison a été perdue avant toutes les réponses : {a_s}",
    ),
    ("the link was lost before everything was answered", "la liaison a été perdue avant toutes les réponses"),
    (
        "the link was lost before all stations were there: {a_s}",
        "la liaison a été perdue avant que toutes les centrales soient là : {a_s}",
    ),
    ("the link went while it was set up: {a_s}", "la liaison est tombée pendant sa mise en place : {a_s}"),
    ("the link went while it was set up", "la liaison est tombée pendant sa mise en place"),
    (
        "the link went while the station was looked for: {a_s}",
        "la liaison est tombée pendant la recherche de la centrale : {a_s}",
    ),
    ("the link went while the station was looked for", "la liaison est tombée pendant la recherche de la centrale"),
    ("broken off", "interrompu"),
    ("it was closed", "elle a été fermée"),
    ("it was given up", "elle a été abandonnée"),
    ("{a_w} is being opened", "ouverture de {a_w}"),
    ("open it again", "rouvrez-la"),
    ("open the link again", "rouvrez la liaison"),
    ("open the link again to go on", "rouvrez la liaison pour continuer"),
    ("try again", "réessayez"),
    ("look at the cable, then try again", "regardez le câble, puis réessayez"),
    ("look at the cable; then start again", "regardez le câble ; puis recommencez"),
    ("look at that station, and try again", "regardez cette centrale, puis réessayez"),
    ("look at its power supply and cable", "regardez son alimentation et son câble"),
    ("look at its power supply and its network", "regardez son alimentation et son réseau"),
    ("see the hardware file", "voir le fichier du matériel"),
    ("the stop stays: it is not confirmed yet", "l'arrêt demeure : il n'est pas encore confirmé"),
    ("the stop stays: the link is not up", "l'arrêt demeure : la liaison n'est pas établie"),
    ("a stop is not confirmed yet", "un arrêt n'est pas encore confirmé"),
    ("wait, or look at the link", "attendez, ou regardez la liaison"),
    ("it has started anew: {a_s}", "elle a redémarré : {a_s}"),
    ("{a} on, {b} not", "{a} en marche, {b} non"),
    ("{a_w} {b_w} is not switched by this station", "{a_w} {b_w} n'est pas commandé par cette centrale"),
    ("which station is meant: {a}", "quelle centrale est-ce : {a}"),
    (
        "the station said {a_w} more things in that second, left out here",
        "la centrale a dit encore {a_w} choses dans cette seconde, omises ici",
    ),
    ("locomotive {a_w} is not on station {b_w}", "la locomotive {a_w} n'est pas à la centrale {b_w}"),
    ("not understood: {a}", "pas compris : {a}"),
    ("part of it was rejected by the station (<X>)", "une partie a été refusée par la centrale (<X>)"),
    ("a part of it was rejected by the station (<X>)", "une partie en a été refusée par la centrale (<X>)"),
    # what somebody else does
    (
        "{a_s} by somebody else: another throttle, or the station's own automation",
        "{a_s} par quelqu'un d'autre : une autre commande, ou l'automatisme de la centrale",
    ),
    (
        "by somebody else: another throttle, or the station's own automation",
        "par quelqu'un d'autre : une autre commande, ou l'automatisme de la centrale",
    ),
    ("{a_s} as it is already, by somebody else", "{a_s} comme il l'est déjà, par quelqu'un d'autre"),
    ("{a_s}, again: by somebody else, or delivered twice", "{a_s}, encore : par quelqu'un d'autre, ou livré deux fois"),
    ("again: by somebody else, or delivered twice", "encore : par quelqu'un d'autre, ou livré deux fois"),
    ("{a_s} by somebody else", "{a_s} par quelqu'un d'autre"),
    ("by somebody else", "par quelqu'un d'autre"),
    (
        "another program is driving this layout ({a_s}); everything was stopped",
        "un autre programme conduit ce réseau ({a_s}) ; tout a été arrêté",
    ),
    (
        "somebody else is driving this layout ({a_s}); everything was stopped",
        "quelqu'un d'autre conduit ce réseau ({a_s}) ; tout a été arrêté",
    ),
    (
        "close the other program or throttle (is there none, then one has left it running), set the wagons up "
        "again, then start again",
        "fermez l'autre programme ou commande (s'il n'y en a pas, l'un d'eux l'a laissée rouler), remettez les "
        "wagons en place, puis recommencez",
    ),
    (
        "close the other program or throttle, set the wagons up again, then start again",
        "fermez l'autre programme ou commande, remettez les wagons en place, puis recommencez",
    ),
    (
        "close the other throttles (is there none, then one was left running), set the wagons up again, then start "
        "again",
        "fermez les autres commandes (s'il n'y en a pas, l'une a été laissée en marche), remettez les wagons en "
        "place, puis recommencez",
    ),
    ("cab {a_w} was at speed {b_w}", "la cabine {a_w} était à la vitesse {b_w}"),
    ("cab {a_w}, not of this layout, is driven too", "la cabine {a_w}, qui n'est pas de ce réseau, est conduite aussi"),
    ("cab {a_w} was set instead", "c'est la cabine {a_w} qui a été réglée"),
    ("locomotive {a_w} was at step {b_w}", "la locomotive {a_w} était au cran {b_w}"),
    ("locomotive {a_w} was forgotten", "la locomotive {a_w} a été oubliée"),
    ("locomotive {a_w} was stopped", "la locomotive {a_w} a été arrêtée"),
    ("locomotive {a_w} was taken away from this program", "la locomotive {a_w} a été retirée à ce programme"),
    ("locomotive {a_w} was set to step {b_w} {c_s}", "la locomotive {a_w} a été mise au cran {b_w} {c_s}"),
    ("locomotive {a_w} was set to {b_s}", "la locomotive {a_w} a été mise sur : {b_s}"),
    ("locomotive {a_w} was {b_s}", "la locomotive {a_w} a été {b_s}"),
    ("the direction of locomotive {a_w} was set to {b_s}", "le sens de la locomotive {a_w} a été mis sur {b_s}"),
    ("set to step {a_w}", "mise au cran {a_w}"),
    ("set to {a_w} %", "mise à {a_w} %"),
    ("step {a_w} in reverse", "cran {a_w} en arrière"),
    ("step {a}", "cran {a}"),
    ("an emergency stop in reverse", "un arrêt d'urgence en arrière"),
    ("an emergency stop{a}", "un arrêt d'urgence{a}"),
    ("in reverse", "en arrière"),
    ("another throttle took hold of locomotive {a_w}", "une autre commande a pris la locomotive {a_w}"),
    ("another throttle locked an emergency stop", "une autre commande a verrouillé un arrêt d'urgence"),
    ("turnout {a_w} was thrown", "l'aiguillage {a_w} a été mis en voie déviée"),
    ("turnout {a_w} was closed", "l'aiguillage {a_w} a été mis en voie directe"),
    ("turnout {a_w} was moved", "l'aiguillage {a_w} a été manœuvré"),
    ("turnout {a_w} was set up anew", "l'aiguillage {a_w} a été réinitialisé"),
    ("turnout {a_w} is being moved", "l'aiguillage {a_w} est en mouvement"),
    ("turnout {a_w} was {b_s}", "l'aiguillage {a_w} a été {b_s}"),
    ("was moved", "a été manœuvré"),
    ("is being moved", "est en mouvement"),
    ("was set up anew", "a été réinitialisé"),
    ("turnout {a_w} {leg}", "aiguillage {a_w} vers {leg}"),
    ("turnout {a_w} ({b_w})", "aiguillage {a_w} ({b_w})"),
    ("turnout {a_w}", "aiguillage {a_w}"),
    ("magnet {a_w} was switched on", "l'aimant {a_w} a été mis en marche"),
    ("magnet {a_w} was switched off", "l'aimant {a_w} a été coupé"),
    ("magnet {a_w} was switched {b_w}", "l'aimant {a_w} a été commuté : {b_w}"),
    ("magnet {a_w} is off", "l'aimant {a_w} est coupé"),
    ("magnet {a_w}", "aimant {a_w}"),
    ("beam {a_w}", "faisceau {a_w}"),
    ("locomotive {a_w} stands", "la locomotive {a_w} est arrêtée"),
    ("locomotive {a_w}", "locomotive {a_w}"),
    ("station {a_w}", "centrale {a_w}"),
    ("node {a_w} at {b_w}", "nœud {a_w} à {b_w}"),
    ("the power was switched on again", "la tension a été remise"),
    ("the power was switched on", "la tension a été mise"),
    ("the power was switched off", "la tension a été coupée"),
    ("the power was switched {a}", "la tension a été commutée : {a}"),
    # DCC-EX
    ("the station has not answered everything within {a_w} s", "la centrale n'a pas répondu à tout en {a_w} s"),
    (
        "the station restarted {a_w} times while it was set up",
        "la centrale a redémarré {a_w} fois pendant sa mise en place",
    ),
    ("the station restarted", "la centrale a redémarré"),
    ("the station reports a short circuit", "la centrale signale un court-circuit"),
    ("the station talks by itself, as it does when it starts", "la centrale parle d'elle-même, comme à son démarrage"),
    ("the station answers again and has stopped everything", "la centrale répond de nouveau et a tout arrêté"),
    ("the station does not answer: open the link again", "la centrale ne répond pas : rouvrez la liaison"),
    ("the station restarted: open the link again", "la centrale a redémarré : rouvrez la liaison"),
    ("{a_s} reports an overload", "{a_s} signale une surcharge"),
    ("track {a_w} was set to {b}", "la voie {a_w} a été mise sur {b}"),
    ("track {a_w}", "voie {a_w}"),
    ("the station does not know locomotive {a_w}: {b_s}", "la centrale ne connaît pas la locomotive {a_w} : {b_s}"),
    (
        "it was forgotten, the station restarted unseen, or its table of locomotives is full",
        "elle a été oubliée, la centrale a redémarré sans qu'on le voie, ou sa table de locomotives est pleine",
    ),
    ("output {a_w} of the station is not on this layout", "la sortie {a_w} de la centrale n'est pas sur ce réseau"),
    ("turnout {a_w} of the station is not on this layout", "l'aiguillage {a_w} de la centrale n'est pas sur ce réseau"),
    ("sensor {a_w} of the station is not on this layout", "le capteur {a_w} de la centrale n'est pas sur ce réseau"),
    (
        "beam {a_w} was reported twice alike: a report was lost",
        "le faisceau {a_w} a été signalé deux fois pareil : un message s'est perdu",
    ),
    (
        "the station did not say that {a_s} is {b_s}: bytes were lost on the way, or it was deleted there",
        "la centrale n'a pas dit que {a_s} est {b_s} : des octets se sont perdus en route, ou il y a été effacé",
    ),
    (
        "the station does not take locomotive {a_w}: its table of locomotives is full",
        "la centrale n'accepte pas la locomotive {a_w} : sa table de locomotives est pleine",
    ),
    (
        "the station does not take locomotive {a_w} (cab {b_w})",
        "la centrale n'accepte pas la locomotive {a_w} (cabine {b_w})",
    ),
    (
        "its table of locomotives may be full: restart the station",
        "sa table de locomotives est peut-être pleine : redémarrez la centrale",
    ),
    (
        "lost digits, or a lost command: locomotive {a_w} was to have {b_s}, the station says {c_s}",
        "chiffres perdus, ou commande perdue : la locomotive {a_w} devait avoir {b_s}, la centrale dit {c_s}",
    ),
    (
        "lost digits: magnet {a_w} was to be {b_s}, the station says {c_s}",
        "chiffres perdus : l'aimant {a_w} devait être {b_s}, la centrale dit {c_s}",
    ),
    (
        "the station did not say what locomotive {a_w} is set to: bytes were lost on the way; cab {b_w} was set "
        "instead",
        "la centrale n'a pas dit sur quoi est mise la locomotive {a_w} : des octets se sont perdus en route ; "
        "c'est la cabine {b_w} qui a été réglée",
    ),
    (
        "the station did not say what locomotive {a_w} is set to: bytes were lost on the way{b}",
        "la centrale n'a pas dit sur quoi est mise la locomotive {a_w} : des octets se sont perdus en route{b}",
    ),
    (
        "the station did not say what locomotive {a_w} is set to: bytes were lost on the way",
        "la centrale n'a pas dit sur quoi est mise la locomotive {a_w} : des octets se sont perdus en route",
    ),
    ("the power was to be {a}, and the station says it is {b}", "la tension devait être {a}, et la centrale dit {b}"),
    ("the station rejected it (<X>)", "la centrale l'a refusé (<X>)"),
    (
        "the station took it for another command (<O>): bytes were lost on the way, and something was defined or "
        "deleted there; restart the station",
        "la centrale l'a pris pour une autre commande (<O>) : des octets se sont perdus en route, et quelque chose "
        "y a été défini ou effacé ; redémarrez la centrale",
    ),
    (
        "pointsman doctor LAYOUT --on ... --define --move writes it, after asking; or {a_s}",
        "pointsman doctor RÉSEAU --on ... --define --move l'écrit, après avoir demandé ; ou {a_s}",
    ),
    (
        "define it there, then <E> to keep it: {a_s} (PIN is where it is wired to)",
        "définissez-le là, puis <E> pour le garder : {a_s} (PIN est la broche où il est câblé)",
    ),
    ("define it there, then <E> to keep it: {a_s}", "définissez-le là, puis <E> pour le garder : {a_s}"),
    ("PIN is where it is wired to", "PIN est la broche où il est câblé"),
    ("the station does not know {a}", "la centrale ne connaît pas {a}"),
    ("sensor {a_w} (beam {b_w})", "capteur {a_w} (faisceau {b_w})"),
    ("output {a_w} (magnet {b_w})", "sortie {a_w} (aimant {b_w})"),
    ("the station does not say that {a_s}, asked {b_w} times", "la centrale ne dit pas que {a_s}, demandé {b_w} fois"),
    (
        "is the board powered, is DCC-EX on it, and is this its port? `pointsman ports` lists them",
        "la carte est-elle alimentée, DCC-EX y est-il, et est-ce son port ? `pointsman ports` les montre",
    ),
    (
        "something else may be connected here: look at the port and its 115200 baud; {a_s}",
        "autre chose est peut-être branché ici : regardez le port et ses 115200 bauds ; {a_s}",
    ),
    (
        "over the network DCC-EX listens on port 2560; JMRI's web server is --on jmri:HOST",
        "par le réseau DCC-EX écoute au port 2560 ; le serveur web de JMRI est --on jmri:HÔTE",
    ),
    (
        "no DCC-EX station answers within {a_w} s; {b_w} bytes were heard",
        "aucune centrale DCC-EX ne répond en {a_w} s ; {b_w} octets ont été entendus",
    ),
    (
        "with two boards: are their ports swapped? Else name the layout, and its wiring with the node: inglenook "
        "--hardware uno-dc on an Uno or Nano, timesaver --hardware mega-dc on a Mega, --hardware dccex+node beside "
        "a DCC-EX station",
        "avec deux cartes : leurs ports sont-ils inversés ? Sinon nommez le réseau et son câblage avec le nœud : "
        "inglenook --hardware uno-dc sur un Uno ou Nano, timesaver --hardware mega-dc sur un Mega, --hardware "
        "dccex+node à côté d'une centrale DCC-EX",
    ),
    ("a node answers there ({a}), and no DCC-EX station", "un nœud y répond ({a}), et pas de centrale DCC-EX"),
    (
        "no DCC-EX has answered there: look at the cable; {a_s}",
        "aucun DCC-EX n'y a répondu : regardez le câble ; {a_s}",
    ),
    ("an Arduino", "un Arduino"),
    # JMRI
    ("JMRI has not answered {a} within {b_w} s", "JMRI n'a pas répondu à {a} en {b_w} s"),
    ("JMRI does not answer: open the link again", "JMRI ne répond pas : rouvrez la liaison"),
    ("JMRI does not answer", "JMRI ne répond pas"),
    ("JMRI does not turn locomotive {a_w} round", "JMRI ne retourne pas la locomotive {a_w}"),
    (
        "locomotive {a_w} shall run at step {b_w}, and JMRI sends {c_w}",
        "la locomotive {a_w} doit rouler au cran {b_w}, et JMRI envoie {c_w}",
    ),
    ("JMRI does not say what it sends to locomotive {a_w}", "JMRI ne dit pas ce qu'il envoie à la locomotive {a_w}"),
    ("JMRI said goodbye: it is being closed", "JMRI a dit au revoir : on le ferme"),
    ("JMRI has not answered for {a_w} s", "JMRI n'a pas répondu depuis {a_w} s"),
    ("JMRI answers in time", "JMRI répond à temps"),
    ("JMRI answers again and has stopped everything", "JMRI répond de nouveau et a tout arrêté"),
    ("{a_s}, for then it stops the locomotives by itself", "{a_s}, car il arrête alors les locomotives de lui-même"),
    (
        "JMRI has not confirmed a stop within {a_w} s: the connection to it was cut",
        "JMRI n'a pas confirmé un arrêt en {a_w} s : la connexion a été coupée",
    ),
    ("look at JMRI and the network, then try again", "regardez JMRI et le réseau informatique, puis réessayez"),
    (
        "everything was stopped at the command station (its power is idle)",
        "tout a été arrêté à la centrale (sa tension est « idle »)",
    ),
    ("JMRI no longer knows whether the track power is on", "JMRI ne sait plus si la voie est sous tension"),
    ("JMRI no longer knows {a} ({b})", "JMRI ne connaît plus {a} ({b})"),
    (
        "JMRI no longer says how {a_s} lies: moved by hand, or by somebody else",
        "JMRI ne dit plus comment est {a_s} : manœuvré à la main, ou par quelqu'un d'autre",
    ),
    ("{a_w} {b_w} of JMRI is not on this layout", "{a_w} {b_w} de JMRI n'est pas sur ce réseau"),
    (
        "turnout {a_w} was sent to {b_s}, and JMRI says {c_s}: it failed, or somebody moved it",
        "l'aiguillage {a_w} a été envoyé vers {b_s}, et JMRI dit {c_s} : il n'a pas fonctionné, ou quelqu'un l'a "
        "manœuvré",
    ),
    ("neither closed nor thrown", "ni direct ni dévié"),
    ("JMRI says: {a}", "JMRI dit : {a}"),
    ("JMRI {a_w} speaks version {b_w} of its JSON protocol", "JMRI {a_w} parle la version {b_w} de son protocole JSON"),
    (
        "JMRI of unknown version speaks version {a_w} of its JSON protocol",
        "JMRI de version inconnue parle la version {a_w} de son protocole JSON",
    ),
    ("of unknown version", "de version inconnue"),
    ("JMRI {a_w}", "JMRI {a_w}"),
    ("JMRI: {a}", "JMRI : {a}"),
    (
        "switch the layout on, or put a hand through each beam once, so that its state is reported",
        "mettez le réseau sous tension, ou passez une fois la main dans chaque faisceau, pour que son état soit "
        "signalé",
    ),
    ("JMRI does not know how these beams are: {a}", "JMRI ne sait pas comment sont ces faisceaux : {a}"),
    ("write the system name in the hardware file", "écrivez le nom système dans le fichier du matériel"),
    (
        "these are user names in JMRI, which changes are not reported by: {a}",
        "ce sont des noms d'utilisateur de JMRI, par lesquels les changements ne sont pas signalés : {a}",
    ),
    (
        "add them in JMRI (Tools > Tables) and store its panel file, or correct them in the hardware file",
        "ajoutez-les dans JMRI (Outils > Tables) et enregistrez son panneau, ou corrigez-les dans le fichier du "
        "matériel",
    ),
    ("JMRI does not know {a}", "JMRI ne connaît pas {a}"),
    (
        "release it in the other throttle; one of a program that has just died is gone after 15 s",
        "libérez-la dans l'autre commande ; celle d'un programme qui vient de mourir disparaît après 15 s",
    ),
    (
        "another throttle holds {a} too: if this program died, JMRI would not stop it",
        "une autre commande tient aussi {a} : si ce programme mourait, JMRI ne l'arrêterait pas",
    ),
    ("{a_w} is {b_w}", "{a_w} est {b_w}"),
    (
        "set the command station, or this locomotive in JMRI, to 128 speed steps",
        "réglez la centrale, ou cette locomotive dans JMRI, sur 128 crans",
    ),
    ("JMRI drives locomotive {a_w} with {b_w} speed steps", "JMRI conduit la locomotive {a_w} avec {b_w} crans"),
    (
        "is the command station connected in JMRI, and is the address right? Free it in other throttles",
        "la centrale est-elle connectée dans JMRI, et l'adresse est-elle juste ? Libérez-la dans les autres commandes",
    ),
    (
        "JMRI gives no throttle for locomotive {a_w} (address {b_w})",
        "JMRI ne donne pas de commande pour la locomotive {a_w} (adresse {b_w})",
    ),
    (
        "version {a_w} is needed: update JMRI to 4.20 or newer",
        "la version {a_w} est nécessaire : mettez JMRI à jour, 4.20 ou plus récent",
    ),
    (
        "something else may answer here: is this the port of JMRI's web server?",
        "autre chose répond peut-être ici : est-ce le port du serveur web de JMRI ?",
    ),
    ("no greeting of JMRI within {a_w} s", "pas de salut de JMRI en {a_w} s"),
    ("error {a_w}", "erreur {a_w}"),
    ("closed by JMRI", "fermé par JMRI"),
)
