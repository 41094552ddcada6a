import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('es')

const modelFailures = {
  refused: 'el proveedor del modelo lo rechaza',
  too_long: 'el mensaje es demasiado largo para el modelo',
  rate_limited: 'el proveedor del modelo pide esperar',
  unreachable: 'el modelo no responde',
  broken: 'la respuesta del modelo no sirve',
  aborted: 'la llamada al modelo se detuvo',
} as const

export const turns: Catalogue['turns'] = {
  failed: ({ why }) =>
    `No ha funcionado: ${why}. Tu mensaje se guarda: /retry lo intenta otra vez.`,
  modelFailure: ({ kind, said }) => `${modelFailures[kind]}: «${said}»`,
  noProgress: 'se inició varias veces sin avanzar',
  tooLong: ({ tokens, budget }) =>
    `el mensaje es demasiado largo para el modelo: con instrucciones y herramientas son unos ${number(tokens)} tokens, y caben como máximo cuatro quintos de ${number(budget)}. Envíalo por partes o como archivo`,
  fallback: ({ why, model }) => `${why}. ${model} continúa este turno.`,
  stepLimit: ({ limit }) => `Se alcanzó el límite de ${limit} pasos con herramientas.`,
  noAnswer: '(El modelo no dio respuesta.)',
  noOutput: '(sin salida)',
  undoFailed: ({ why }) => `No se pudo deshacer: ${why}`,
  commandNotRun: ({ why }) => `El comando no se ejecutó: ${why}`,
  commandFailed: ({ why }) => `El comando falló: ${why}`,
  interruptedFinished: ({ number: call, tool }) =>
    `La llamada ${call} (${tool}), dada por interrumpida, sí terminó; su resultado se registró y no se usó.`,

  loopStopped: ({ loop }) =>
    `Detenido, porque daba vueltas: ${loop}. Escribe otra vez para continuar, mejor con lo que debe hacerse de otro modo.`,
  loops: {
    call: ({ tool }) => `la misma llamada a ${tool} se hizo tres veces seguidas`,
    pair: ({ one, other }) =>
      `las mismas llamadas a ${one} y ${other} se alternaron, tres veces cada una`,
    results: 'los últimos tres pasos dieron lo mismo',
    unknownTool: 'una herramienta desconocida',
  },

  quotaTooLarge: ({ wanted, limit, left }) =>
    `No se ejecutó ninguna de las ${wanted} llamadas: una sesión puede hacer ${limit} en total (quedan ${left}). Se pidió al modelo que haga menos a la vez.`,
  quotaTooFew: ({ wanted, limit, left }) =>
    `No se ejecutó ninguna de las ${wanted} llamadas: quedan ${left} de las ${limit} de la sesión. Se pidió al modelo que haga menos a la vez. /clear empieza de nuevo y restablece la cuota.`,
  quotaUsed: ({ limit }) =>
    `La cuota de ${limit} llamadas por sesión está agotada. /clear empieza de nuevo y la restablece.`,
  callsNotRun: ({ why }) => `Las llamadas no se ejecutaron: ${why}.`,
  thisSession: 'esta sesión',
  amount: ({ unit, value }) =>
    ({
      toolCalls: counted(value, 'llamada', 'llamadas'),
      tokens: counted(value, 'token', 'tokens'),
      cost: `${number(value, 4)} USD`,
    })[unit],
  spent: ({ unit, spent, limit }) => `${number(spent, unit === 'cost' ? 4 : 0)} de ${limit}`,
  budgetUsed: ({ limit, owner, spent }) =>
    `el presupuesto diario de ${limit} para ${owner} está agotado (${spent}). Se renueva a las 00:00 UTC; un operador puede levantarlo por hoy con /budget lift`,
  budgetWarning: ({ limit, owner, spent }) =>
    `Del presupuesto diario de ${limit} para ${owner} se han usado ${spent}.`,

  filesSaved: ({ paths }) => `Guardado: ${paths}.`,
  fileNotSaved: ({ name, why }) => `«${name}» no se guardó: ${why}.`,
  fileNotKept: 'ya no se conserva; envíalo otra vez',
  fileStopped: 'se detuvo antes de saberse si está allí',
  filePathUnknown: 'la caja no dijo dónde está',

  summarised:
    'Esta conversación es larga: su parte más antigua se resumió para el modelo, que puede olvidar detalles de ella. No se borró nada y la conversación sigue. /context muestra lo que tiene el modelo; /clear empieza de nuevo.',
  leftOut:
    'Esta conversación es larga: su parte más antigua se omitió, porque no se pudo resumir. No se borró nada y la conversación sigue. /context muestra lo que tiene el modelo; /clear empieza de nuevo.',

  restoredMessage: ({ time }) =>
    `Este bot se restauró de una copia de seguridad de ${time}. Un mensaje que enviaste entonces quizá no se leyó. Si no recibiste respuesta, envíalo otra vez.`,
  restoredTurn: ({ time }) =>
    `Este bot se restauró de una copia de seguridad de ${time}. Lo que estaba en curso se detuvo, porque puede estar ya hecho. Escribe otra vez para continuar.`,

  toolFails: ({ tool, failed, executions, percent }) =>
    `CRÍTICO: la herramienta ${tool} falla una y otra vez: ${failed} de sus últimas ${executions} ejecuciones (${percent} %).`,
  toolBlocked: ({ tool }) =>
    `Ahora está bloqueada. Cuando se repare, «countersign trust set ${tool} trusted» la deja funcionar de nuevo.`,
  toolBlockable: ({ tool }) => `«countersign trust set ${tool} blocked» la bloquearía.`,
  notDelivered: ({ number: row, why }) =>
    `Un mensaje no se pudo entregar y se abandonó (salida ${row}): «${why}»`,
}
