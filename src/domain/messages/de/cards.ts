import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('de')

const layers = {
  agent: 'eine Regel des Agenten',
  operator: 'eine Regel des Betreibers',
  worker: 'eine Regel des Workers',
  session: 'eine Regel der Sitzung',
} as const

export const cards: Catalogue['cards'] = {
  noNetwork: 'Befehle haben hier kein Netz: das wird vermutlich scheitern.',
  editedBy: ({ name, before }) => `${name} hat es geändert; das Modell wollte: ${before}`,
  unconfined: {
    files:
      'Befehle können alles lesen und ändern, was du kannst, auch die Schlüssel von Countersign',
    network:
      'Befehle erreichen das Netz; Netzprogramme werden nur nach ihrem Namen abgelehnt, was schwächer ist',
    limits: 'Speicher und Prozesse sind hier nicht begrenzt',
  },
  boxes: {
    ownUser:
      'Befehle laufen als eigener Benutzer, teilen aber die Dateien, die alle lesen dürfen, und das Netz dieser Maschine',
    memory: 'der Speicher ist hier nicht begrenzt',
    memoryGroup:
      'der Speicher ist hier nicht begrenzt: Countersign hat keine Control Group (Version 2)',
    memoryEngine: 'der Speicher ist hier nicht begrenzt: die Engine hat keine Control Group dafür',
    processesEngine: 'Prozesse sind hier nicht begrenzt: die Engine hat keine Control Group dafür',
    processorsEngine:
      'Prozessoren sind hier nicht begrenzt: die Engine hat keine Control Group dafür',
    filter:
      'kein Filter für Systemaufrufe funktioniert hier: setuid-Bits verschwinden erst, wenn ein Aufruf endet',
    namespaces:
      'Befehle können in ihrer Box eigene User-Namespaces anlegen: bwrap --disable-userns funktioniert hier nicht',
  },
  namedBoxes: {
    image: ({ name }) =>
      `das Image ${name} stammt nicht aus dem Dockerfile dieser Version: Befehle können verfolgen, was sie ausführt, und an seiner Stelle antworten`,
    network: ({ name }) => `Befehle erreichen alles, was das Netz ${name} der Engine erreicht`,
  },
  anyArguments: '(beliebige Argumente)',
  cancelReasons: {
    stopped: 'gestoppt',
    cleared: 'geleert',
    failed: 'der Durchgang ist gescheitert',
    expired: 'eine Genehmigung ist abgelaufen',
    edited: 'geändert und neu gefragt',
    changed: 'was genehmigt wurde, hat sich geändert',
    approvers: 'die Regeln, wer genehmigen darf, haben sich geändert',
    objection: 'eine Prüfung hat Einwände',
    restored: 'aus einer Sicherung wiederhergestellt',
  },

  runsFile: ({ path, bytes, sha256 }) =>
    `Es führt ${path} aus: ${counted(bytes, 'Byte', 'Bytes')}, SHA-256 ${sha256}; läuft nicht, wenn sich die Datei ändert`,
  runsUnreadFile: ({ path }) =>
    `Es führt ${path} aus: die Datei ist nicht lesbar, niemand kann sehen, ob sie sich ändert`,
  mayChange: ({ path }) => `führt ${path} aus, nicht lesbar: kann sich noch ändern`,
  noDiff: ({ why }) => `Es ließ sich kein Diff erstellen: ${why}`,
  filesUnseen: ({ why }) =>
    `Es führt Dateien des Arbeitsbereichs aus, die sich bis dahin ändern können; sie ließen sich nicht prüfen: ${why}`,
  workerSilent: 'der Worker hat nicht rechtzeitig geantwortet',

  fileParts: {
    effects: 'was es tut',
    reasons: 'warum gefragt wird',
    always: '„Immer“ würde erlauben',
    warning: 'Warnung',
  },
  fileCall: ({ end, call }) => `der Aufruf, bis ${end}:\n${call}`,
  fileEnd: 'zum Ende der Datei',
  fileEndOf: ({ number: approval }) => `zum Ende von Genehmigung ${approval}`,
  fileHeading: ({ number: approval }) => `Genehmigung ${approval}`,
  risk: ({ risk }) => `Risiko ${{ low: 'niedrig', medium: 'mittel', high: 'hoch' }[risk]}`,
  lines: ({ count }) => counted(count, 'Zeile', 'Zeilen'),
  moreEffects: ({ count }) => `und ${count} weitere Wirkungen stehen in der Datei`,
  moreInFile: ({ count }) => `und ${count} weitere in der Datei`,
  excerptGap: ({ lines, characters }) =>
    `⋯ ${lines > 1 ? `${number(lines)} Zeilen, ` : ''}${number(characters)} Zeichen mehr in der Datei ⋯`,
  tooLarge: ({ megabytes }) =>
    `Was dieser Aufruf täte, braucht ${number(megabytes)} MB, mehr als sich zeigen lässt. Er kann nur abgelehnt werden.`,

  asks: {
    rule: ({ about, layer }) => `${about}: ${layers[layer]} verlangt eine Frage`,
    none: ({ about }) => `${about}: keine Regel passt`,
    unconfined: ({ about }) =>
      `${about}: Befehle laufen hier ohne Sandbox, und keine Regel nennt diesen`,
    undecided: ({ about }) => `${about}: ob diese Regel gilt, geht aus den Argumenten nicht hervor`,
    person: ({ about }) =>
      `${about} verlangt für jeden Aufruf einen Menschen, darum kann keine Regel ihn erlauben`,
  },
  outcomes: {
    done: 'fertig',
    failed: ({ why }) => `gescheitert: ${why}`,
    exit: ({ code }) => `Exit ${code}`,
    failedExit: ({ code }) => `gescheitert: Exit ${code}`,
    denied: 'abgelehnt',
    cancelled: 'abgebrochen',
    interrupted: 'unterbrochen',
    open: 'nicht beendet',
  },
  errors: {
    tool_not_found: 'das Werkzeug gibt es nicht',
    invalid_parameters: 'ungültige Argumente',
    type_mismatch: 'ein Argument hat den falschen Typ',
    policy_blocked: 'hier nicht erlaubt',
    confirmation_required: 'niemand konnte gefragt werden',
    permanent_failure: 'so kann es nicht gehen',
    cancelled: 'es wurde angehalten',
    rate_limited: 'zu viele Anfragen',
    server_error: 'die Gegenseite ist gescheitert',
    network_error: 'das Netz ist ausgefallen',
    timeout: 'es dauerte zu lange',
  },
  exits: {
    124: 'Zeit abgelaufen',
    126: 'nicht ausführbar',
    127: 'Befehl nicht gefunden',
    130: 'unterbrochen',
    134: 'abgebrochen',
    137: 'abgeschossen',
    139: 'abgestürzt',
    143: 'beendet',
  },
  failures: {
    no_file: 'Datei nicht gefunden',
    no_permission: 'keine Berechtigung',
    disk_full: 'der Datenträger ist voll',
    read_only: 'das Dateisystem ist schreibgeschützt',
    no_host: 'Host nicht gefunden',
    refused: 'Verbindung abgelehnt',
    no_repository: 'kein Git-Repository',
  },

  does: {
    execute: 'einen Befehl ausführen',
    read: 'eine Datei lesen',
    edit: 'eine Datei ändern',
    search: 'Dateien durchsuchen',
    fetch: 'eine Webseite abrufen',
    move: 'Dateien verschieben',
    create_folder: 'einen Ordner anlegen',
    delete: 'Dateien löschen',
    write: 'eine Datei schreiben',
    store: 'eine Datei ablegen',
    undo: 'Änderungen zurücknehmen',
    copy: 'Dateien kopieren',
  },
  useTool: ({ tool }) => `das Werkzeug ${tool} benutzen`,
}
