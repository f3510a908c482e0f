"""What is said of MQTT brokers, of nodes, and by them."""

from __future__ import annotations

TEMPLATES = (
    # MQTT
    ("the broker has not answered within {a_w} s", "le broker n'a pas répondu en {a_w} s"),
    ("its node has not reported {a} within {b_w} s", "son nœud n'a pas signalé {a} en {b_w} s"),
    (
        "the broker does not pass on {a}: look at its access list",
        "le broker ne transmet pas {a} : regardez sa liste d'accès",
    ),
    ("the broker does not pass on {a}", "le broker ne transmet pas {a}"),
    ("the broker answers again, and has the stop", "le broker répond de nouveau, et il a l'arrêt"),
    ("an answer is later than {a_w} s", "une réponse tarde de plus de {a_w} s"),
    ("the broker answers in time", "le broker répond à temps"),
    (
        "while closing: no node has reported the power off within {a_w} s",
        "pendant la fermeture : aucun nœud n'a signalé la coupure en {a_w} s",
    ),
    ("while closing: the broker has not taken everything", "pendant la fermeture : le broker n'a pas tout pris"),
    ("{a}; nodes online: {b}", "{a} ; nœuds en ligne : {b}"),
    ("{a_s}, again and again", "{a_s}, encore et encore"),
    (
        "a node is gone, or has started anew: open the link again",
        "un nœud est parti, ou a redémarré : rouvrez la liaison",
    ),
    ("the broker does not answer: open the link again", "le broker ne répond pas : rouvrez la liaison"),
    (
        "turnout {a_w} does not lie as it was set any more: {b_s}",
        "l'aiguillage {a_w} n'est plus comme il a été disposé : {b_s}",
    ),
    ("the node of beam {a_w} does not know its state", "le nœud du faisceau {a_w} ne connaît pas son état"),
    ("node {a_w} is back", "le nœud {a_w} est revenu"),
    ("node {a_w} said that it is online", "le nœud {a_w} a dit qu'il est en ligne"),
    ("node {a_w} is offline", "le nœud {a_w} est hors ligne"),
    ("reporter {a}", "rapporteur {a}"),
    ("nothing there", "rien là"),
    (
        "the broker keeps the command {a} for every node that starts; nothing was done because of it. To delete "
        "it, publish an empty retained message there",
        "le broker garde la commande {a} pour chaque nœud qui démarre ; rien n'a été fait à cause d'elle. Pour "
        "l'effacer, publiez-y un message retenu vide",
    ),
    (
        "one must answer each command with its state on {a_w}",
        "l'un d'eux doit répondre à chaque commande par son état sur {a_w}",
    ),
    ("no node reports the track power off", "aucun nœud ne signale la voie hors tension"),
    (
        "its node must publish it, retained, before it says that it is online",
        "son nœud doit le publier, retenu, avant de dire qu'il est en ligne",
    ),
    ("no state is known of beam {a}", "aucun état n'est connu du faisceau {a}"),
    (
        "is it powered and on the network? It must publish online, retained, on {a}",
        "est-il alimenté et sur le réseau informatique ? Il doit publier online, retenu, sur {a}",
    ),
    ("not online: {a}", "pas en ligne : {a}"),
    ("its access list must let us write and read them", "sa liste d'accès doit nous laisser les écrire et les lire"),
    (
        "is the network slow? Else its access list must let us write and read {a}",
        "le réseau informatique est-il lent ? Sinon sa liste d'accès doit nous laisser écrire et lire {a}",
    ),
    (
        "the broker does not send our own messages back within {a_w} s",
        "le broker ne nous renvoie pas nos propres messages en {a_w} s",
    ),
    ("correct the plan", "corrigez le plan"),
    ("speed step {a_w} is outside 1 .. {b_w}", "le cran {a_w} est hors de 1 .. {b_w}"),
    ("name one of the MQTT stations of the hardware file", "nommez une des centrales MQTT du fichier du matériel"),
    ("there is none", "il n'y en a pas"),
    ("the connection broke: {a}", "la connexion s'est rompue : {a}"),
    ("the connection broke", "la connexion s'est rompue"),
    ("the broker refuses to send {a}", "le broker refuse d'envoyer {a}"),
    ("look at its access list", "regardez sa liste d'accès"),
    ("the broker does not answer: {a}", "le broker ne répond pas : {a}"),
    ("cannot connect: {a}", "connexion impossible : {a}"),
    ("is the broker on, and does it listen on this port?", "le broker est-il en marche, et écoute-t-il à ce port ?"),
    ("no MQTT broker answers", "aucun broker MQTT ne répond"),
    (
        "is the broker on, on this network, and is this its port?",
        "le broker est-il en marche, sur ce réseau informatique, et est-ce son port ?",
    ),
    ("this cannot be the name of a computer", "ce ne peut pas être le nom d'un ordinateur"),
    ("give the broker's IP address", "donnez l'adresse IP du broker"),
    ("no encrypted connection: {a}", "pas de connexion chiffrée : {a}"),
    ("does the broker speak TLS on this port?", "le broker parle-t-il TLS à ce port ?"),
    (
        "name the CA certificate that signed it, and the host as the certificate has it",
        "nommez le certificat de l'autorité qui l'a signé, et l'hôte tel que le certificat le dit",
    ),
    ("the broker's certificate cannot be trusted: {a}", "le certificat du broker n'est pas digne de confiance : {a}"),
    ("docs/mqtt.md says where they are set", "docs/mqtt.md dit où ils se règlent"),
    ("the broker does not accept this user and password", "le broker n'accepte pas cet utilisateur et ce mot de passe"),
    ("name the broker's CA certificate, in PEM form", "nommez le certificat de l'autorité du broker, au format PEM"),
    ("cannot be used as a file of certificates: {a}", "inutilisable comme fichier de certificats : {a}"),
    ("a message could not be sent: {a}", "un message n'a pas pu être envoyé : {a}"),
    ("a message was not taken", "un message n'a pas été pris"),
    ("is open already", "est déjà ouverte"),
    ("close it first", "fermez-la d'abord"),
    ("closed by the broker", "fermé par le broker"),
    ("timed out", "délai dépassé"),
    # a node
    (
        "the node started anew {a_w} times while it was set up",
        "le nœud a redémarré {a_w} fois pendant sa mise en place",
    ),
    ("the node started anew", "le nœud a redémarré"),
    ("it speaks protocol version {a_w}", "il parle la version {a_w} du protocole"),
    ("the node does not answer a command", "le nœud ne répond pas à une commande"),
    ("the node is silent", "le nœud se tait"),
    ("the node is {a_w} s late", "le nœud a {a_w} s de retard"),
    ("the node answers in time", "le nœud répond à temps"),
    ("the node refused it: {a_s}", "le nœud l'a refusé : {a_s}"),
    ("{a_s}: its whole state is asked for", "{a_s} : son état entier est demandé"),
    ("its whole state is asked for", "son état entier est demandé"),
    ("a line of the node came garbled", "une ligne du nœud est arrivée abîmée"),
    ("{a_w} of the node's messages did not come", "{a_w} messages du nœud ne sont pas arrivés"),
    ("the node answers again and has stopped everything", "le nœud répond de nouveau et a tout arrêté"),
    ("the node has not confirmed a stop within {a_w} s", "le nœud n'a pas confirmé un arrêt en {a_w} s"),
    ("look at the node and its cable, then try again", "regardez le nœud et son câble, puis réessayez"),
    (
        "it does not answer yet: perhaps opening its port has reset it",
        "il ne répond pas encore : l'ouverture de son port l'a peut-être réinitialisé",
    ),
    ("the node does not tell its whole state", "le nœud ne dit pas son état entier"),
    ("the node has started anew: open the link again", "le nœud a redémarré : rouvrez la liaison"),
    ("the node does not answer: open the link again", "le nœud ne répond pas : rouvrez la liaison"),
    ("the node was armed", "le nœud a été armé"),
    ("the node's settings: {a_s}", "les réglages du nœud : {a_s}"),
    ("the node refused {a}: {b_s}", "le nœud a refusé {a} : {b_s}"),
    ("the node does not say how {a} is set", "le nœud ne dit pas comment {a} est réglé"),
    (
        "what answers here does not say what it is, as a node does",
        "ce qui répond ici ne dit pas ce que c'est, comme le fait un nœud",
    ),
    (
        "the node speaks version {a_w} of its protocol, and this program version {b_w}",
        "le nœud parle la version {a_w} de son protocole, et ce programme la version {b_w}",
    ),
    (
        "the node speaks {a_s} of the protocol, and this program version {b_w}",
        "le nœud parle {a_s} du protocole, et ce programme la version {b_w}",
    ),
    ("another version", "une autre version"),
    ("version {a_w}", "la version {a_w}"),
    ("no node answers within {a_w} s", "aucun nœud ne répond en {a_w} s"),
    (
        'is the firmware of a node on it, and is this its port (firmware/README.md, "Uploading")? With two boards: '
        "are their ports swapped?",
        "le micrologiciel d'un nœud y est-il, et est-ce son port (firmware/README.md, « Uploading ») ? Avec deux "
        "cartes : leurs ports sont-ils inversés ?",
    ),
    ("a track relay", "un relais de voie"),
    ("node {a_w} on an {b_s}; started last: {c_s}", "nœud {a_w} sur un {b_s} ; dernier démarrage : {c_s}"),
    (
        "is it the right port? has the board its program? pointsman node flash puts it there",
        "est-ce le bon port ? la carte a-t-elle son programme ? pointsman node flash l'y met",
    ),
    ("nobody answered within {a_w} s", "personne n'a répondu en {a_w} s"),
    (
        "is it the right port? `pointsman ports` lists them; pointsman node flash makes a board a node",
        "est-ce le bon port ? `pointsman ports` les montre ; pointsman node flash fait d'une carte un nœud",
    ),
    ("what is there is no node: it says {a}", "ce qui est là n'est pas un nœud : il dit {a}"),
    ("plug it in, then start again", "branchez-le, puis recommencez"),
    (
        "look at the cable, press the board's reset button, then start again",
        "regardez le câble, pressez le bouton de réinitialisation de la carte, puis recommencez",
    ),
    ("the node does not answer {a}", "le nœud ne répond pas à {a}"),
    ("the broker: {a}", "le broker : {a}"),
    ("two bridges are called {a_w}", "deux ponts s'appellent {a_w}"),
    ("the bridge has lost the broker", "le pont a perdu le broker"),
    ("the bridge has given up the line: {a}", "le pont a abandonné la ligne : {a}"),
    ("the bridge has given up the line", "le pont a abandonné la ligne"),
    ("nothing fresh has come from the bridge for {a_w} s", "rien de neuf n'est venu du pont depuis {a_w} s"),
    (
        "does `pointsman node bridge --name {a}` run beside the node, at this broker, and does the broker's access "
        "list let both write and read {b} and {c}?",
        "`pointsman node bridge --name {a}` tourne-t-il près du nœud, à ce broker, et la liste d'accès du broker "
        "les laisse-t-elle tous deux écrire et lire {b} et {c} ?",
    ),
    ("no bridge of this name answers within {a_w} s", "aucun pont de ce nom ne répond en {a_w} s"),
    ("close it; it would drive this too", "fermez-le ; il conduirait ceci aussi"),
    ("another program has the line to this node", "un autre programme a la ligne vers ce nœud"),
    ("look at the bridge and its node, then try again", "regardez le pont et son nœud, puis réessayez"),
    (
        "let pointsman node setup try the watchdog (watchdog, then store); where the board does not come back from "
        "it, lead the track through the node's relay and write relay = true (firmware/README.md)",
        "que pointsman node setup essaie le chien de garde (watchdog, puis store) ; si la carte n'en revient pas, "
        "faites passer la voie par le relais du nœud et écrivez relay = true (firmware/README.md)",
    ),
    (
        "the node's watchdog is off, and no relay lies in the track's feed: nothing is sure to stop {a_w} when the "
        "node's program hangs",
        "le chien de garde du nœud est coupé, et aucun relais n'est dans l'alimentation de la voie : rien n'arrête "
        "sûrement {a_w} si le programme du nœud se bloque",
    ),
    (
        "make hold_s in the hardware file shorter, or magnet_ms of the node longer, if the coil bears it",
        "raccourcissez hold_s dans le fichier du matériel, ou allongez magnet_ms du nœud, si la bobine le supporte",
    ),
    (
        "magnet {a_w} is held for {b_w} ms, and the node allows {c_w}",
        "l'aimant {a_w} est tenu {b_w} ms, et le nœud en permet {c_w}",
    ),
    (
        "set it (pointsman node setup: machine {a_w} {b_w}, then store), or correct the hardware file",
        "réglez-le (pointsman node setup : machine {a_w} {b_w}, puis store), ou corrigez le fichier du matériel",
    ),
    ("and the wiring has {a_s} ({b_w})", "et le câblage a {a_s} ({b_w})"),
    (
        "turnout {a_w} ({b_w}) is set to machine {c_w} ({d_s}) at the node, and the wiring has {e_s} ({f_w})",
        "l'aiguillage {a_w} ({b_w}) est réglé sur le moteur {c_w} ({d_s}) au nœud, et le câblage a {e_s} ({f_w})",
    ),
    (
        "turnout {a_w} ({b_w}) is set to machine {c_w} ({d_s}) at the node",
        "l'aiguillage {a_w} ({b_w}) est réglé sur le moteur {c_w} ({d_s}) au nœud",
    ),
    ("{a}, whatever that is", "{a}, quoi que ce soit"),
    (
        "set heartbeat_ms to {a_w} or less (pointsman node setup), and store it",
        "mettez heartbeat_ms à {a_w} ou moins (pointsman node setup), et enregistrez-le",
    ),
    (
        "the node would let trains run on for {a_w} ms when this program dies, and no train may run unwatched for "
        "longer than {b_w} ms",
        "le nœud laisserait rouler les trains {a_w} ms si ce programme meurt, et aucun train ne doit rouler sans "
        "surveillance plus de {b_w} ms",
    ),
    (
        "the wiring has a relay in the track's feed, and the node has none",
        "le câblage a un relais dans l'alimentation de la voie, et le nœud n'en a pas",
    ),
    (
        "locomotive {a_w} runs on DC, and the node has no throttle",
        "la locomotive {a_w} roule en courant continu, et le nœud n'a pas de commande",
    ),
    (
        "{a_w} {b_w} is wired, and the node has pins for {c_w}",
        "{a_w} {b_w} est câblé, et le nœud a des broches pour {c_w}",
    ),
    (
        "is this its port? If so, correct `board` in the hardware file",
        "est-ce son port ? Si oui, corrigez `board` dans le fichier du matériel",
    ),
    ("it is an {a_s}, and the wiring has an {b_s}", "c'est un {a_s}, et le câblage a un {b_s}"),
    (
        "put the firmware of this program on it: pointsman node flash (firmware/README.md)",
        "mettez-y le micrologiciel de ce programme : pointsman node flash (firmware/README.md)",
    ),
    (
        "the node does not know how its points lie: the pulse was cut",
        "le nœud ne sait pas comment sont ses aiguilles : l'impulsion a été coupée",
    ),
    (
        "the node does not say within {a_w} s that the points of {b_w} are over",
        "le nœud ne dit pas en {a_w} s que les aiguilles de {b_w} ont fini",
    ),
    ("it was set anew before its points were over", "il a été manœuvré de nouveau avant que ses aiguilles aient fini"),
    (
        "{a_w} runs on direct current: without a decoder it has no functions",
        "{a_w} roule en courant continu : sans décodeur elle n'a pas de fonctions",
    ),
    (
        'name a hardware file with a station of protocol = "node"',
        'nommez un fichier du matériel avec une centrale de protocol = "node"',
    ),
    ("there is no node", "il n'y a pas de nœud"),
    # what a node says of itself
    (
        "the stored ones could not be read: safe defaults",
        "ceux qui étaient enregistrés n'ont pas pu être lus : valeurs sûres",
    ),
    ("as they were stored", "comme ils étaient enregistrés"),
    ("a solenoid with two coils", "un solénoïde à deux bobines"),
    ("a servo", "un servo"),
    ("nothing is fitted", "rien n'est monté"),
    ("nobody has set them yet", "personne ne les a encore manœuvrées"),
    ("they are on their way", "elles sont en mouvement"),
    ("Arduino Mega 2560", "Arduino Mega 2560"),
    ("Arduino Uno or Nano", "Arduino Uno ou Nano"),
    ("nobody knows why", "personne ne sait pourquoi"),
    ("the program hung", "le programme s'est bloqué"),
    ("the supply sagged", "l'alimentation a faibli"),
    ("the reset button, or the port was opened", "le bouton de réinitialisation, ou l'ouverture du port"),
    ("the supply came on", "la mise sous tension"),
    (
        "a host with another version of the protocol spoke to it",
        "un ordinateur d'une autre version du protocole lui a parlé",
    ),
    ("its program hung for a while", "son programme est resté bloqué un moment"),
    ("its power was switched off", "sa tension a été coupée"),
    ("it was told to stop", "on lui a dit d'arrêter"),
    ("no heartbeat came", "aucun battement n'est venu"),
    ("it has started", "il a démarré"),
    ("it is armed", "il est armé"),
    ("the settings could not be stored", "les réglages n'ont pas pu être enregistrés"),
    (
        "a coil would rest too little for the length of its pulses",
        "une bobine se reposerait trop peu pour la durée de ses impulsions",
    ),
    (
        "no hello of this node's version has come since it started",
        "aucun salut de la version de ce nœud n'est venu depuis son démarrage",
    ),
    ("no heartbeat has come yet", "aucun battement n'est encore venu"),
    ("the coil must rest first", "la bobine doit d'abord se reposer"),
    ("something moves, or may", "quelque chose bouge, ou peut-être"),
    ("everything is stopped until somebody arms the node", "tout est arrêté jusqu'à ce que quelqu'un arme le nœud"),
    ("nothing is fitted there", "rien n'y est monté"),
    ("a number is out of range", "un nombre est hors limites"),
    ("another command had this number", "une autre commande avait ce numéro"),
    ("this node does not know the command", "ce nœud ne connaît pas la commande"),
    ("it is not a command", "ce n'est pas une commande"),
    ("the line is too long", "la ligne est trop longue"),
    ("the line came garbled", "la ligne est arrivée abîmée"),
)
