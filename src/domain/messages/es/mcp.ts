import type { Catalogue } from '../en/en.ts'

export const mcp: Catalogue['mcp'] = {
  asks: ({ server, worker, count }) =>
    count === 1
      ? `El servidor MCP ${server} (worker ${worker}) tiene una herramienta que nadie ha aprobado tal como es ahora:`
      : `El servidor MCP ${server} (worker ${worker}) tiene ${count} herramientas que nadie ha aprobado tal como son ahora:`,
  isNew: ({ name, what }) => `${name} es nueva: ${what}`,
  hasChanged: ({ name, how }) => `${name} ha cambiado: ${how}`,
  changes: {
    description: ({ before, after }) => `su descripción, de «${before}» a «${after}»`,
    added: ({ names }) => `también toma ${names}`,
    removed: ({ names }) => `ya no toma ${names}`,
    schema: 'la forma de sus argumentos',
    hints: 'lo que dice de sus efectos',
    program: 'el programa o la versión que hay detrás',
  },
  more: ({ server, count }) =>
    `… y ${count} más. /mcp ${server} las nombra todas, /mcp NOMBRE muestra una entera; el código de abajo vale para todas.`,
  whole: ({ name }) => `${name}, en palabras de su servidor MCP:`,
  unknown:
    'Ahora no hay ningún servidor MCP ni herramienta con ese nombre. /mcp muestra los servidores.',
  howToAnswer: ({ server, code }) =>
    `Hasta entonces ningún modelo las ve. /mcp approve ${server} ${code} las ofrece; cada llamada se juzga luego según sus reglas. /mcp refuse ${server} ${code} las mantiene fuera.`,
  operatorsOnly: 'Solo un operador decide qué herramientas de servidores MCP se ofrecen.',
  none: 'Este worker no tiene ningún servidor MCP. [mcp.NOMBRE] en su configuración añade uno.',
  server: ({ server, state, tools }) => `${server}: ${state}${tools === '' ? '' : `; ${tools}`}`,
  up: ({ title }) => (title === '' ? 'accesible' : `accesible (${title})`),
  away: ({ why }) => (why === '' ? 'ausente' : `ausente: ${why}`),
  counts: ({ approved, waiting, refused }) =>
    [
      `${approved} aprobadas`,
      ...(waiting === 0 ? [] : [`${waiting} en espera`]),
      ...(refused === 0 ? [] : [`${refused} rechazadas`]),
    ].join(', '),
  approved: ({ names }) => `Aprobadas: ${names}.`,
  refused: ({ names }) => `Rechazadas: ${names}. Ningún modelo las ve.`,
  changed:
    'No se decidió nada: ahora esperan otras herramientas, o ninguna. /mcp muestra lo que hay.',
  usage: 'Uso: /mcp, /mcp NOMBRE, /mcp approve SERVIDOR CÓDIGO, /mcp refuse SERVIDOR CÓDIGO',
}
