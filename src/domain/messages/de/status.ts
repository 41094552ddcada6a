import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number, plural } = createFormat('de')

export const status: Catalogue['status'] = {
  agentAway: 'Agent: nicht erreichbar; deine Nachrichten bleiben, bis er wieder da ist',
  toolCalls: ({ used, limit }) => `Werkzeugaufrufe: ${used} von ${limit ?? 'unbegrenzt'}`,
  messages: ({ count }) => `Nachrichten: ${count}`,
  rulesAllowAll: ({ path }) =>
    `das Gate ist aus: ${path} erlaubt alles; nichts fragt, auch kein Befehl.`,
  ruleProblem: ({ path, line, problem }) =>
    `${path}, Zeile ${line}: „${problem}“. Bis das behoben ist, fragt jeder Aufruf.`,
  exampleProblem: ({ path, line, problem }) =>
    `${path}, Zeile ${line}, ein Beispiel: „${problem}“. Bis es stimmt, fragt alles, was nicht abgelehnt ist.`,
  warning: ({ warning }) => `Warnung: ${warning}`,
  filters: ({ full, partial, fallback }) =>
    `Ausgabefilter (voll/teilweise/Rückfall): ${full}/${partial}/${fallback}`,
  cached: ({ count }) => `Aus dem Zwischenspeicher beantwortet: ${count}`,
  blockedTools: ({ tools }) => `Gesperrte Werkzeuge: ${tools}`,
  quarantinedTools: ({ tools }) => `Werkzeuge in Quarantäne: ${tools}`,
  turn: ({ state, waits }) => `Durchgang: ${state}; ${waits}`,
  turnStates: {
    none: 'keiner',
    queued: 'in der Warteschlange',
    thinking: 'denkt nach',
    acting: 'handelt',
    done: 'fertig',
    stopped: 'gestoppt',
    failed: 'gescheitert',
  },
  nothingWaits: 'nichts wartet auf eine Antwort',
  waits: ({ numbers }) => `wartet auf Antwort: ${numbers}`,
  tokens: ({ input, cached, output }) =>
    `Tokens: ${input} ein (${cached} zwischengespeichert), ${output} aus`,
  rulesDiffer: ({ worker, sides }) =>
    `Agenten haben verschiedene Regeln oder Konfiguration für den Worker „${worker}“; der eine erlaubt, wonach der andere fragt oder was er ablehnt: ${sides}`,
  shareRules:
    'lass alle Agenten ein Datenverzeichnis teilen, und damit eine Datei mit Regeln, oder halte die Regeln mit [tools] permissions_store in der Datenbank; und gib allen dieselbe countersign.toml',
  agentRules: ({ id, host, path }) => `Agent ${id} auf ${host} nach ${path}`,
  fingerprint: ({ agents, digits }) => `${agents} (Fingerabdruck ${digits}…)`,
  differingRules: ({ finding, fix }) => `${finding}. Abhilfe: ${fix}.`,

  notAsked: 'Eingabe: das Modell wurde noch nicht gefragt',
  prompt: ({ size, model, room }) => `Eingabe: ${size} beim letzten Schritt, an ${model}; ${room}`,
  bytes: ({ count }) => counted(count, 'Byte', 'Bytes'),
  tokenCount: ({ count }) => counted(count, 'Token', 'Tokens'),
  roomUnknown: 'die Kontextgröße des Modells ist nicht bekannt',
  room: ({ from, budget }) =>
    `über ${number(from)} von ${number(budget)} Tokens wird Platz geschaffen`,
  inFull: ({ turns, messages }) =>
    `Vollständig: ${counted(turns, 'Durchgang', 'Durchgänge')}, ${counted(messages, 'Nachricht', 'Nachrichten')}`,
  uploadedFiles: ({ count }) =>
    `${counted(count, 'hochgeladene Datei', 'hochgeladene Dateien')} in dieser Sitzung`,
  leftOut: ({ turns, messages }) =>
    `Weggelassen: ${counted(turns, 'ältester Durchgang', 'älteste Durchgänge')} (${counted(messages, 'Nachricht', 'Nachrichten')}); ohne Zusammenfassung`,
  summary: ({ turns, messages, characters }) =>
    `Zusammenfassung: ${counted(turns, 'ältester Durchgang', 'älteste Durchgänge')} (${counted(messages, 'Nachricht', 'Nachrichten')}), ${number(characters)} Zeichen`,
  lastWithoutSummary: 'die letzten davon konnten nicht zusammengefasst werden',
  shortened: ({ parts }) =>
    `Gekürzt, um Platz zu schaffen: ${parts}; das Modell kann sie nachlesen`,
  shortenedParts: ({ kind, count }) =>
    `${number(count)} ${
      {
        results: plural(count, 'Ergebnis', 'Ergebnisse'),
        arguments: plural(count, 'Argumentliste', 'Argumentlisten'),
        messages: plural(count, 'lange Nachricht', 'lange Nachrichten'),
        steps: plural(count, 'Schritt', 'Schritte'),
      }[kind]
    }`,
  noTools: 'Werkzeuge: keine',
  tools: ({ count }) => `Werkzeuge: ${count} für den letzten Durchgang ausgewählt`,
}
