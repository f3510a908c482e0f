"""What keeps a serial port or a network from being used, and the cure of each."""

from __future__ import annotations

TEMPLATES = (
    # serial ports
    (
        "a board with a {a} chip (USB {b_w}) is plugged in and has no port",
        "une carte à puce {a} (USB {b_w}) est branchée et n'a pas de port",
    ),
    (
        "plug it in again, then `sudo dmesg` says why it has none",
        "rebranchez-la, puis `sudo dmesg` dit pourquoi elle n'en a pas",
    ),
    (
        "{a_w} has taken it for a braille display: sudo apt remove brltty, then plug it in again",
        "{a_w} l'a prise pour un afficheur braille : sudo apt remove brltty, puis rebranchez-la",
    ),
    ("close that program, then try again", "fermez ce programme, puis réessayez"),
    (
        "it tries every new port for a modem: wait half a minute, or for good: sudo systemctl disable --now "
        "ModemManager",
        "il cherche un modem à chaque nouveau port : attendez une demi-minute, ou une fois pour toutes : sudo "
        "systemctl disable --now ModemManager",
    ),
    (
        "brltty takes USB-serial chips for braille displays: sudo apt remove brltty",
        "brltty prend les puces USB-série pour des afficheurs braille : sudo apt remove brltty",
    ),
    (
        "join its group: sudo usermod -a -G {a_w} $USER, then log out and in again",
        "joignez son groupe : sudo usermod -a -G {a_w} $USER, puis fermez et rouvrez la session",
    ),
    (
        "you have joined its group {a_w} since you logged in: log out and in again",
        "vous avez joint son groupe {a_w} depuis l'ouverture de la session : fermez-la et rouvrez-la",
    ),
    (
        "its group {a_w} may not use it either: sudo chmod a+rw {b_w}, each time it is plugged in",
        "son groupe {a_w} n'y a pas droit non plus : sudo chmod a+rw {b_w}, à chaque branchement",
    ),
    (
        "it has no group that you could join: sudo chmod a+rw {a_w}, each time it is plugged in",
        "il n'a pas de groupe que vous pourriez joindre : sudo chmod a+rw {a_w}, à chaque branchement",
    ),
    ("held by {a_s}", "tenu par {a_s}"),
    ("this program itself (process {a_w})", "ce programme lui-même (processus {a_w})"),
    (
        "another program holds it (of another user: its name is hidden)",
        "un autre programme le tient (d'un autre utilisateur : son nom est caché)",
    ),
    ("sudo fuser -v {a_w} names it", "sudo fuser -v {a_w} le nomme"),
    ("you have no permission to open it", "vous n'avez pas le droit de l'ouvrir"),
    ("`pointsman ports` lists what is there", "`pointsman ports` montre ce qu'il y a"),
    ("`pointsman ports` lists the ports", "`pointsman ports` montre les ports"),
    ("this is no serial port", "ce n'est pas un port série"),
    ("there is no such port", "il n'y a pas de tel port"),
    (
        "plug the cable in; `pointsman ports` lists what is there",
        "branchez le câble ; `pointsman ports` montre ce qu'il y a",
    ),
    ("it cannot be used as a serial port ({a})", "il ne peut pas servir de port série ({a})"),
    ("unplug the cable and plug it in again", "débranchez et rebranchez le câble"),
    ("replug the cable", "rebranchez le câble"),
    ("plug the cable in, then open again", "branchez le câble, puis rouvrez"),
    ("the port is there, the device is not", "le port est là, l'appareil n'y est pas"),
    ("the port failed: {a}", "le port a lâché : {a}"),
    (
        "the port has vanished (unplugged, or the other side closed it)",
        "le port a disparu (débranché, ou fermé par l'autre bout)",
    ),
    ("the port took {a_w} of {b_w} bytes", "le port a pris {a_w} octets sur {b_w}"),
    ("the port takes no bytes for {a_w} s", "le port ne prend plus d'octets depuis {a_w} s"),
    ("{a_w}: nothing heard for {b_w} s, so DTR was raised", "{a_w} : rien entendu depuis {b_w} s, DTR a donc été levé"),
    (
        "{a_w}: nothing heard, and DTR cannot be raised ({b})",
        "{a_w} : rien entendu, et DTR ne peut pas être levé ({b})",
    ),
    ("the port was closed", "le port a été fermé"),
    # the network
    ("closed by the far end", "fermé par l'autre bout"),
    ("no address of it takes a connection", "aucune de ses adresses n'accepte de connexion"),
    ("the station takes no bytes, {a_w} wait", "la centrale ne prend plus d'octets, {a_w} attendent"),
    ("the connection is closed", "la connexion est fermée"),
    (
        "is the station on, and does it listen on port {a_w}?",
        "la centrale est-elle en marche, et écoute-t-elle au port {a_w} ?",
    ),
    ("give the station's IP address", "donnez l'adresse IP de la centrale"),
    ("give the computer's IP address", "donnez l'adresse IP de l'ordinateur"),
    ("no computer of this name is known", "aucun ordinateur de ce nom n'est connu"),
    ("is the station on this network?", "la centrale est-elle sur ce réseau informatique ?"),
    ("is JMRI's computer on this network?", "l'ordinateur de JMRI est-il sur ce réseau informatique ?"),
    ("nobody answers within {a_w} s", "personne ne répond en {a_w} s"),
    ("connection refused", "connexion refusée"),
    (
        "what came in is no websocket's, or too large (code {a})",
        "ce qui est arrivé n'est pas d'un websocket, ou est trop grand (code {a})",
    ),
    ("closed by JMRI (code {a})", "fermé par JMRI (code {a})"),
    ("JMRI takes no bytes, {a_w} wait", "JMRI ne prend plus d'octets, {a_w} attendent"),
    (
        "start the web server in JMRI (Tools > Servers > Start Web Server); does it listen on port {a_w}?",
        "lancez le serveur web dans JMRI (Outils > Serveurs > Démarrer le serveur Web) ; écoute-t-il au port {a_w} ?",
    ),
    (
        "start the web server in JMRI (Tools > Servers > Start Web Server), and look at the port",
        "lancez le serveur web dans JMRI (Outils > Serveurs > Démarrer le serveur Web), et regardez le port",
    ),
    (
        "something answers there, but it is no JSON server of JMRI: {a}",
        "quelque chose y répond, mais ce n'est pas un serveur JSON de JMRI : {a}",
    ),
)
