import type { Catalogue } from '../en/en.ts'

export const mcp: Catalogue['mcp'] = {
  asks: ({ server, worker, count }) =>
    count === 1
      ? `Der MCP-Server ${server} (Worker ${worker}) hat ein Werkzeug, das so, wie es jetzt ist, niemand freigegeben hat:`
      : `Der MCP-Server ${server} (Worker ${worker}) hat ${count} Werkzeuge, die so, wie sie jetzt sind, niemand freigegeben hat:`,
  isNew: ({ name, what }) => `${name} ist neu: ${what}`,
  hasChanged: ({ name, how }) => `${name} hat sich geändert: ${how}`,
  changes: {
    description: ({ before, after }) => `die Beschreibung, von „${before}“ zu „${after}“`,
    added: ({ names }) => `es nimmt auch ${names}`,
    removed: ({ names }) => `es nimmt ${names} nicht mehr`,
    schema: 'die Form der Argumente',
    hints: 'was es über seine Wirkungen sagt',
    program: 'das Programm oder die Version dahinter',
  },
  more: ({ server, count }) =>
    `… und ${count} weitere. /mcp ${server} nennt alle, /mcp NAME zeigt eines ganz; der Code unten gilt für alle.`,
  whole: ({ name }) => `${name}, in den Worten des MCP-Servers:`,
  unknown: 'Ein MCP-Server oder Werkzeug dieses Namens ist gerade nicht da. /mcp zeigt die Server.',
  howToAnswer: ({ server, code }) =>
    `Bis dahin sieht kein Modell sie. /mcp approve ${server} ${code} gibt sie frei; jeder Aufruf wird dann nach Ihren Regeln beurteilt. /mcp refuse ${server} ${code} hält sie fern.`,
  operatorsOnly: 'Nur ein Operator entscheidet, welche Werkzeuge von MCP-Servern angeboten werden.',
  none: 'An diesem Worker ist kein MCP-Server eingerichtet. [mcp.NAME] in seiner Konfiguration fügt einen hinzu.',
  server: ({ server, state, tools }) => `${server}: ${state}${tools === '' ? '' : `; ${tools}`}`,
  up: ({ title }) => (title === '' ? 'erreichbar' : `erreichbar (${title})`),
  away: ({ why }) => (why === '' ? 'nicht da' : `nicht da: ${why}`),
  counts: ({ approved, waiting, refused }) =>
    [
      `${approved} freigegeben`,
      ...(waiting === 0 ? [] : [`${waiting} wartend`]),
      ...(refused === 0 ? [] : [`${refused} abgelehnt`]),
    ].join(', '),
  approved: ({ names }) => `Freigegeben: ${names}.`,
  refused: ({ names }) => `Abgelehnt: ${names}. Kein Modell sieht sie.`,
  changed:
    'Nichts wurde entschieden: Inzwischen warten andere Werkzeuge oder keines. /mcp zeigt, was da ist.',
  usage: 'Gebrauch: /mcp, /mcp NAME, /mcp approve SERVER CODE, /mcp refuse SERVER CODE',
}
