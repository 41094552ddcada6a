import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('de')

const modelFailures = {
  refused: 'der Anbieter des Modells lehnt ab',
  too_long: 'die Nachricht ist zu lang für das Modell',
  rate_limited: 'der Anbieter des Modells bittet zu warten',
  unreachable: 'das Modell antwortet nicht',
  broken: 'die Antwort des Modells ist nicht brauchbar',
  aborted: 'der Aufruf des Modells wurde gestoppt',
} as const

export const turns: Catalogue['turns'] = {
  failed: ({ why }) =>
    `Das hat nicht geklappt: ${why}. Deine Nachricht bleibt: /retry versucht es noch einmal.`,
  modelFailure: ({ kind, said }) => `${modelFailures[kind]}: „${said}“`,
  noProgress: 'es wurde mehrmals ohne Fortschritt begonnen',
  tooLong: ({ tokens, budget }) =>
    `die Nachricht ist zu lang für das Modell: mit Anweisungen und Werkzeugen sind es etwa ${number(tokens)} Tokens, und höchstens vier Fünftel von ${number(budget)} passen. Sende sie in Teilen oder als Datei`,
  fallback: ({ why, model }) => `${why}. ${model} führt diesen Durchgang fort.`,
  stepLimit: ({ limit }) => `Die Grenze von ${limit} Schritten mit Werkzeugen ist erreicht.`,
  noAnswer: '(Das Modell hat keine Antwort gegeben.)',
  noOutput: '(keine Ausgabe)',
  undoFailed: ({ why }) => `Zurücknehmen gescheitert: ${why}`,
  commandNotRun: ({ why }) => `Der Befehl wurde nicht ausgeführt: ${why}`,
  commandFailed: ({ why }) => `Der Befehl ist gescheitert: ${why}`,
  interruptedFinished: ({ number: call, tool }) =>
    `Aufruf ${call} (${tool}), als unterbrochen gemeldet, wurde doch fertig; sein Ergebnis ist aufgezeichnet und wurde nicht verwendet.`,

  loopStopped: ({ loop }) =>
    `Gestoppt, weil es sich im Kreis drehte: ${loop}. Schreib noch einmal, um weiterzumachen, am besten mit dem, was anders werden soll.`,
  loops: {
    call: ({ tool }) => `derselbe Aufruf von ${tool} kam dreimal hintereinander`,
    pair: ({ one, other }) =>
      `dieselben Aufrufe von ${one} und ${other} wechselten sich ab, je dreimal`,
    results: 'die letzten drei Schritte ergaben dasselbe',
    unknownTool: 'einem unbekannten Werkzeug',
  },

  quotaTooLarge: ({ wanted, limit, left }) =>
    `Keiner der ${wanted} Werkzeugaufrufe wurde ausgeführt: eine Sitzung darf insgesamt ${limit} machen (${left} übrig). Das Modell soll weniger auf einmal verlangen.`,
  quotaTooFew: ({ wanted, limit, left }) =>
    `Keiner der ${wanted} Werkzeugaufrufe wurde ausgeführt: ${left} von ${limit} dieser Sitzung sind übrig. Das Modell soll weniger auf einmal verlangen. /clear fängt neu an und setzt das Kontingent zurück.`,
  quotaUsed: ({ limit }) =>
    `Das Kontingent von ${limit} Werkzeugaufrufen pro Sitzung ist verbraucht. /clear fängt neu an und setzt es zurück.`,
  callsNotRun: ({ why }) => `Die Werkzeugaufrufe wurden nicht ausgeführt: ${why}.`,
  thisSession: 'diese Sitzung',
  amount: ({ unit, value }) =>
    ({
      toolCalls: counted(value, 'Werkzeugaufruf', 'Werkzeugaufrufe'),
      tokens: counted(value, 'Token', 'Tokens'),
      cost: `${number(value, 4)} USD`,
    })[unit],
  spent: ({ unit, spent, limit }) => `${number(spent, unit === 'cost' ? 4 : 0)} von ${limit}`,
  budgetUsed: ({ limit, owner, spent }) =>
    `das Tagesbudget von ${limit} für ${owner} ist verbraucht (${spent}). Um 00:00 UTC beginnt es neu; Betreiber können es mit /budget lift für heute aufheben`,
  budgetWarning: ({ limit, owner, spent }) =>
    `Vom Tagesbudget von ${limit} für ${owner} sind ${spent} verbraucht.`,

  filesSaved: ({ paths }) => `Gespeichert: ${paths}.`,
  fileNotSaved: ({ name, why }) => `„${name}“ wurde nicht gespeichert: ${why}.`,
  fileNotKept: 'sie ist nicht mehr da; sende sie noch einmal',
  fileStopped: 'es wurde gestoppt, bevor bekannt war, ob sie da ist',
  filePathUnknown: 'die Sandbox hat nicht gesagt, wo sie liegt',

  summarised:
    'Dieses Gespräch ist lang geworden: sein ältester Teil wurde für das Modell zusammengefasst, das Einzelheiten daraus vergessen kann. Nichts wurde gelöscht, und das Gespräch geht weiter. /context zeigt, was das Modell hat; /clear fängt neu an.',
  leftOut:
    'Dieses Gespräch ist lang geworden: sein ältester Teil wurde weggelassen, weil er sich nicht zusammenfassen ließ. Nichts wurde gelöscht, und das Gespräch geht weiter. /context zeigt, was das Modell hat; /clear fängt neu an.',

  restoredMessage: ({ time }) =>
    `Dieser Bot wurde aus einer Sicherung vom ${time} wiederhergestellt. Eine Nachricht, die du um diese Zeit gesendet hast, wurde vielleicht nicht gelesen. Wenn du keine Antwort bekommen hast, sende sie noch einmal.`,
  restoredTurn: ({ time }) =>
    `Dieser Bot wurde aus einer Sicherung vom ${time} wiederhergestellt. Was damals lief, wurde gestoppt, weil es schon getan sein kann. Schreib noch einmal, um weiterzumachen.`,

  toolFails: ({ tool, failed, executions, percent }) =>
    `KRITISCH: das Werkzeug ${tool} scheitert immer wieder: ${failed} seiner letzten ${executions} Ausführungen (${percent} %).`,
  toolBlocked: ({ tool }) =>
    `Es ist jetzt gesperrt. Wenn es repariert ist, lässt „countersign trust set ${tool} trusted“ es wieder laufen.`,
  toolBlockable: ({ tool }) => `„countersign trust set ${tool} blocked“ würde es sperren.`,
  notDelivered: ({ number: row, why }) =>
    `Eine Nachricht konnte nicht zugestellt werden und wurde aufgegeben (Postausgang ${row}): „${why}“`,
}
