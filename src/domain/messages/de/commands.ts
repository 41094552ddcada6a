import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('de')

export const commands: Catalogue['commands'] = {
  summaries: {
    start: 'was das ist und was es kann',
    help: 'diese Liste',
    approve: 'einen wartenden Aufruf genehmigen',
    always: 'ihn und ähnliche von jetzt an genehmigen, oder bis dahin',
    deny: 'einen wartenden Aufruf ablehnen',
    edit: 'einen wartenden Aufruf ändern und genehmigen',
    approvals: 'noch einmal zeigen, was auf Antwort wartet',
    grants: 'was ohne Rückfrage erlaubt ist und wie lange',
    revoke: 'eine Erlaubnis widerrufen',
    away: 'andere werden statt dir gefragt, für Genehmigende',
    back: '/away beenden',
    stop: 'den laufenden Durchgang stoppen',
    retry: 'weitermachen, wo der letzte Durchgang endete',
    undo: 'zurücknehmen, was der letzte Aufruf geändert hat',
    clear: 'neu anfangen und das Kontingent zurücksetzen',
    link: 'ein Code, der ein weiteres Konto von dir verknüpft',
    budget: 'was heute noch übrig ist; Betreiber heben es auf',
    status: 'Modell, Worker, Kontingent, Tokens, was wartet',
    context: 'was das Modell von diesem Gespräch hat',
    permissions: 'was ohne Rückfrage läuft',
    audit: 'die letzten Aufrufe im Protokoll',
    model: 'welches Modell antwortet; ein anderes wählen',
    worker: 'wo Werkzeuge laufen; Betreiber wählen einen anderen',
    mcp: 'Werkzeuge von MCP-Servern; Operatoren geben sie frei',
    output: 'die Ausgabe eines Werkzeugaufrufs',
    upload: 'eine eigene Datei in den Arbeitsbereich legen',
    shell: 'selbst einen Befehl in der Box ausführen, ohne Genehmigung',
  },
  placeholders: { reason: 'Grund', text: 'Text', name: 'Name', path: 'Pfad', command: 'Befehl' },
  intro: 'Schreib, was getan werden soll. Riskante Aufrufe warten auf deine Antwort.',
  hello: ({ name }) => `Hallo, ${name}.`,
  unknown: ({ name }) => `Es gibt keinen Befehl /${name}. /help listet sie auf.`,
  usage: ({ command }) => `Aufruf: ${command}`,
  notInPublic:
    'Das wird nicht gezeigt, wo andere mitlesen. Schreib mir einmal eine Direktnachricht und frag dann hier noch einmal: die Antwort geht dorthin.',
  sentInPrivate:
    'In einem privaten Chat an dich gesendet. Wenn nichts ankommt, schreib mir zuerst dort.',
  perhapsThread: 'Wenn du einen Thread meinst, erwähne mich dort und schreib es noch einmal.',
  turnRuns: 'Ein Durchgang läuft; warte ihn ab oder beende ihn mit /stop.',

  edit: {
    usage:
      'Sende die neue Fassung, zum Beispiel /edit 2 git status: den Befehl bei bash, eine URL bei Web-Werkzeugen, sonst ein JSON-Objekt der zu ändernden Argumente.',
  },
  stop: {
    nothing: 'Es läuft nichts. Hintergrundaufgaben, falls es welche gab, sind beendet.',
    notYours:
      'Stoppen darf nur die Person, deren Durchgang es ist, oder jemand, der genehmigen darf.',
    done: ({ name }) => `Gestoppt von ${name}.`,
    discarded: ({ what }) => `Ungelesen verworfen: ${what}.`,
    moreFiles: ({ count }) => counted(count, 'weitere Datei', 'weitere Dateien'),
    messages: ({ count }) => counted(count, 'Nachricht', 'Nachrichten'),
  },
  retry: {
    nothing: 'Es gibt nichts, was noch einmal versucht werden könnte.',
    running: 'Ein Durchgang läuft; /stop beendet ihn.',
    notYours: 'Nur die Person, deren Durchgang es war, darf ihn noch einmal versuchen.',
  },
  undo: {
    off: 'Es wird kein Stand aufgehoben, den /undo wiederherstellen könnte; Betreiber können das einschalten: transactional in [tools.shell].',
    nothing: 'Hier wurde noch nichts geändert.',
  },
  clear: {
    done: 'Geleert: ein neues Gespräch, das Kontingent ist zurückgesetzt. Was „Immer“ in dieser Sitzung erlaubt hat, gilt nicht mehr; was für alle erlaubt wurde, bleibt. Dateien bleiben.',
    notYours:
      'Ein Durchgang läuft; leeren darf nur die Person, deren Durchgang es ist, oder jemand, der genehmigen darf.',
    perhapsThere: ({ what }) => `Unterwegs und vielleicht schon da: ${what}.`,
  },
  away: {
    usage:
      'Sag, wie lange, zum Beispiel /away 30m, /away 2h oder /away 3d; ohne Zeit gilt es bis /back.',
    approversOnly: 'Abwesend sein können nur Personen, die Genehmigungen anderer beantworten.',
    untilBack: ({ next }) =>
      `Du bist bis /back abwesend: Genehmigungen werden dir nicht gesendet, und ${next}.`,
    until: ({ time, next }) =>
      `Du bist bis ${time} abwesend: Genehmigungen werden dir nicht gesendet, und ${next}.`,
    nobodyNext: 'niemand ist benannt, der statt dir gefragt wird ([approval] escalate_to)',
    next: 'die nächste Person wird statt dir gefragt',
    nextAlso: ({ count }) =>
      `die nächste Person wird statt dir gefragt, auch zu ${count}, die du gesehen hast`,
    notAway: 'Du warst nicht abwesend.',
    back: 'Willkommen zurück: Genehmigungen werden dir wieder gesendet.',
  },
  audit: {
    none: ({ who }) => `Noch keine Aufrufe von ${who}.`,
    head: ({ who }) => `Die letzten Aufrufe von ${who}, neueste zuerst; Zeiten in UTC.`,
    everybody: 'allen',
    file: 'Aufrufe',
    by: ({ name }) => `von ${name}`,
    notEnded: 'nicht beendet',
  },
  budget: {
    none: 'Es ist kein Budget gesetzt.',
    operatorsOnly: 'Nur Betreiber dürfen ein Budget aufheben.',
    today: ({ owner, lines }) => `Budget heute, ${owner}: ${lines}`,
    liftedBy: ({ name }) => `(für heute aufgehoben von ${name})`,
    lifted: ({ owners }) =>
      `Bis 00:00 UTC aufgehoben für ${owners}. /retry setzt einen beendeten Durchgang fort.`,
  },
  model: {
    agentAway:
      'Der Agent ist nicht erreichbar; seine Modelle lassen sich zeigen, wenn er wieder da ist.',
    none: 'Dieses Modell gibt es nicht.',
    notYours: 'Du darfst kein Modell wählen.',
    chosen: ({ model }) => `Ab dem nächsten Schritt antwortet hier ${model}, bis /clear.`,
    byCommand: ({ model }) => `${model}, gewählt mit /model`,
    present: ({ model }) => `Modell: ${model}`,
    only: ({ model }) => `Modell: ${model}. Es gibt kein anderes.`,
    others: ({ models }) =>
      `Weitere: ${models}\n/model und ein Name wählt eines für diese Sitzung.`,
  },
  worker: {
    operatorsOnly:
      'Nur Betreiber wählen den Worker: jeder hat eigene Dateien und Regeln. /worker listet sie auf.',
    turnRuns:
      'Hier läuft ein Durchgang: beende ihn mit /stop oder warte ihn ab, bevor du einen anderen Worker wählst.',
    none: 'Diesen Worker gibt es nicht.',
    already: ({ worker }) => `Dieses Gespräch nutzt schon den Worker ${worker}.`,
    chosen: ({ worker }) =>
      `Werkzeuge laufen ab jetzt beim Worker ${worker}. Gespräch, Dateien, Regeln und Erlaubnisse sind die dieses Workers; die anderen bleiben, wo sie sind.`,
    present: ({ worker, state }) => `Worker: ${worker} (${state})`,
    only: ({ present }) => `${present}. Es gibt keinen anderen.`,
    others: ({ workers }) =>
      `Weitere: ${workers}\n/worker und ein Name verlegt dieses Gespräch dorthin, für Betreiber.`,
    away: 'nicht erreichbar',
    sandbox: ({ driver }) => `Sandbox ${driver}`,
    unknownDriver: 'unbekannt',
  },
  output: {
    none: 'Diesen Werkzeugaufruf gibt es in dieser Sitzung nicht.',
    file: ({ number: call }) => `Ausgabe von Aufruf ${call}`,
    head: ({ number: call, tool, end }) => `Aufruf ${call}, ${tool}: ${end}`,
    fromCache: 'aus dem Zwischenspeicher',
    showAll: ({ statistics, command }) => `${statistics}; ${command} zeigt sie`,
    tooLarge: '[es ist zu groß für eine Datei]',
  },
  permissions: {
    intro:
      'Jeder Werkzeugaufruf wird gegen Regeln geprüft: er läuft, fragt oder wird abgelehnt. Die letzte passende Regel zählt; was keine Regel trifft, fragt.',
    operator: ({ rules }) => `Betreiber: ${rules}; was sie ablehnen, ist endgültig.`,
    worker: ({ worker, rules }) => `Worker ${worker}: ${rules}.`,
    grants: ({ count }) => `Dir in dieser Sitzung erlaubt: ${count}; /grants listet es auf.`,
    approversOnly: 'Genehmigende und Betreiber sehen die Regeln selbst.',
    elsewhere:
      'eine Datei, die nur seine Agenten haben; countersign permissions show gibt sie auf deren Maschine aus',
    damaged: 'Regeln, die beschädigt sind',
    rules: ({ count, allow, ask, deny }) =>
      `${counted(count, 'Regel', 'Regeln')} (${allow} erlauben, ${ask} fragen, ${deny} lehnen ab)`,
    gateOff: 'Warnung: Die Prüfung ist aus: diese Regeln erlauben alles, und nichts fragt.',
    lineInvalid: ({ line }) =>
      `Warnung: Zeile ${line} ist ungültig; bis sie repariert ist, fragt jeder Aufruf.`,
    exampleFails: ({ line }) =>
      `Warnung: Das Beispiel in Zeile ${line} stimmt nicht; bis dahin fragt alles, was nicht abgelehnt wird.`,
    more: ({ count }) =>
      `… und ${number(count)} weitere Zeichen: countersign permissions show gibt alle aus`,
  },
}
