import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, plural } = createFormat('es')

const counts = [
  'nadie',
  'una',
  'dos',
  'tres',
  'cuatro',
  'cinco',
  'seis',
  'siete',
  'ocho',
  'nueve',
  'diez',
]
const inWords = (count: number): string => counts[count] ?? String(count)
const others = (allowSelf: boolean): string => (allowSelf ? '' : ' que no sea quien lo pidió')

export const approvals: Catalogue['approvals'] = {
  none: 'Esa aprobación no existe.',
  noneOfBatch: 'Esas aprobaciones no existen.',
  noneForProgram: 'En esta sesión no hay tal aprobación que puedas responder.',
  nothingWaits: 'Nada espera respuesta.',
  allAnswered: 'Todas están respondidas.',
  stillWaiting: 'Esta aprobación sigue esperando.',
  expired: 'Esta aprobación ha caducado.',
  replaced: 'Esta aprobación fue sustituida por otra más reciente.',

  lives: {
    turn: 'en este turno',
    '15m': 'durante 15 min',
    '1h': 'durante 1 h',
    '5x': '5 veces más',
    always: 'siempre',
  },
  approved: 'Aprobado.',
  approvedFor: ({ life }) => `Aprobado, ${life}.`,
  approvedOnce: 'Aprobado, solo esta vez: no todos tocaron «Siempre».',
  denied: 'Denegado.',
  deniedWithReason: 'Denegado, con tu motivo.',
  explainHere: 'Escribe el motivo (en un grupo, respondiendo a la tarjeta) o toca «Solo denegar».',
  explainHereWithin: ({ minutes }) =>
    `Escribe el motivo en ${minutes} minutos (en un grupo, respondiendo a la tarjeta) o toca «Solo denegar».`,
  explainByReply: 'Responde a la tarjeta con el motivo o toca «Solo denegar».',
  explainByReplyWithin: ({ minutes }) =>
    `Responde a la tarjeta con el motivo en ${minutes} minutos o toca «Solo denegar».`,
  votes: ({ approved, people }) => `${approved} de ${people} han aprobado`,
  voteCounted: ({ votes }) => `Contado: ${votes}.`,
  voteRepeated: ({ votes }) => `Tu aprobación ya cuenta: ${votes}.`,

  alreadyApproved: ({ by, at, life }) =>
    `Ya aprobado${by === undefined ? '' : ` por ${by}`}${at === undefined ? '' : ` ${at}`}${life === undefined ? '' : `, ${life}`}.`,
  alreadyDenied: ({ by, at }) =>
    `Ya denegado${by === undefined ? '' : ` por ${by}`}${at === undefined ? '' : ` ${at}`}.`,
  allowedByRule: ({ at }) =>
    `Una regla creada con «Siempre» lo permitió${at === undefined ? '' : ` ${at}`}.`,
  expiredAt: ({ at }) => `Esta aprobación caducó${at === undefined ? '' : ` ${at}`}.`,
  stoppedBy: ({ by, at }) => `Detenido por ${by}${at === undefined ? '' : ` ${at}`}.`,
  cancelled: ({ at, why }) =>
    `Cancelado${at === undefined ? '' : ` ${at}`}${why === undefined ? '' : `: ${why}`}.`,
  atTime: ({ time }) => `a las ${time}`,
  onDay: ({ day }) => `el ${day}`,

  mayNotAnswer: ({ who }) => `No puedes responder a esto; puede ${who}.`,
  mayOnlyDeny: ({ who }) => `Puedes denegarlo, pero no aprobarlo. Puede aprobarlo: ${who}.`,
  tooLarge: 'Es demasiado grande para mostrarse; solo se puede denegar.',
  alwaysNotOffered: '«Siempre» no se ofrece para esta llamada; apruébala o deniégala.',
  cardNotShown: 'La tarjeta aún no se ha mostrado; debe mostrarse primero.',
  cardElsewhere: 'La tarjeta está en otro chat; /approvals la muestra primero aquí.',
  openCardFirst:
    'Abre primero la tarjeta propia de esta llamada; muestra lo que permitiría «Siempre».',
  eachShown: 'Ahora cada una tiene su propia tarjeta.',
  eachAlreadyShown: 'Cada una ya tiene aquí su propia tarjeta.',

  requester: 'quien lo pidió',
  someone: 'alguien',
  byRule: 'una regla',
  requesterOrApprover: ({ requester }) => `${requester} o alguien que pueda aprobar`,
  people: ({ count }) =>
    count === 0 ? 'nadie' : `${inWords(count)} ${plural(count, 'persona', 'personas')}`,
  peopleOrApprovers: ({ count }) =>
    `${inWords(count)} personas: quien lo pidió o quienes puedan aprobar`,
  approvers: ({ count, allowSelf }) =>
    `${inWords(count)} ${plural(count, 'persona que pueda aprobar', 'personas que puedan aprobar')}${others(allowSelf)}`,
  operators: ({ count, allowSelf }) =>
    `${inWords(count)} ${plural(count, 'persona operadora', 'personas operadoras')}${others(allowSelf)}`,
  orMore: ({ names, count }) => `${names} o ${count} más`,

  editNotMade: ({ why }) => `Sin cambios: ${why}`,
  editNoTool: ({ tool }) => `no existe la herramienta ${tool}`,
  editSame: 'ya dice eso',
  edited: 'Cambiado. Se evalúa de nuevo, con tu aprobación.',
  editedWithoutVote: 'Cambiado. Se evalúa de nuevo, sin tu aprobación: no se había mostrado todo.',
  editPrompt: ({ minutes, what }) => `Responde a la tarjeta en ${minutes} minutos con ${what}.`,
  editSubjects: {
    command: 'el nuevo comando',
    url: 'la nueva URL',
    arguments: 'un objeto JSON con los argumentos que cambian',
  },

  name: ({ number, tool }) => `La aprobación ${number} (${tool})`,
  names: ({ numbers }) => `Las aprobaciones ${numbers}`,
  about: ({ number, text }) => `Aprobación ${number}: ${text}`,
  aboutMany: ({ numbers, text }) => `${numbers}: ${text}`,
  reminder: ({ name, isOne, until }) =>
    `${name} ${isOne ? 'sigue esperando' : 'siguen esperando'} respuesta, hasta el ${until}. /approvals muestra otra vez la tarjeta.`,
  reminderFor: ({ name, requester, isOne, until }) =>
    `${name} para ${requester} ${isOne ? 'sigue esperando' : 'siguen esperando'} respuesta, hasta el ${until}. /approvals muestra otra vez la tarjeta.`,
  notDelivered: ({ name, isOne }) =>
    `${name} aún no ${isOne ? 'ha llegado' : 'han llegado'} a nadie, por eso la tarjeta está también aquí.`,
  notShown: ({ name, isOne, which }) =>
    `${name} no ${isOne ? 'pudo mostrarse' : 'pudieron mostrarse'} aquí. /deny ${which} deniega; /approvals intenta mostrar otra vez.`,
  waitsInChannel: ({ name, isOne }) =>
    `${name} ${isOne ? 'espera' : 'esperan'} en el canal de aprobaciones. /approvals muestra la tarjeta aquí.`,
  waitsFor: ({ name, isOne, who }) =>
    `${name} ${isOne ? 'espera' : 'esperan'} a ${who}, en privado. /approvals muestra la tarjeta aquí.`,
  waitsAlsoFor: ({ name, isOne, who }) =>
    `${name} ahora ${isOne ? 'espera' : 'esperan'} también a ${who}.`,
  tooFewReached: ({ name, isOne, people, reached }) =>
    `${name} ${isOne ? 'necesita' : 'necesitan'} la aprobación de ${people}; en privado se puede avisar a: ${reached}. La tarjeta está también aquí.`,
  expiredStopped: ({ number, tool }) =>
    `La aprobación ${number} (${tool}) caducó sin respuesta y el turno se detuvo. Escribe otra vez para continuar.`,
  waitAfterMessage: ({ numbers, isOne }) =>
    isOne
      ? `La aprobación ${numbers} sigue esperando.`
      : `Las aprobaciones ${numbers} siguen esperando.`,

  waiting: ({ count }) =>
    count === 1 ? 'Una aprobación espera:' : `${count} aprobaciones esperan:`,
  askedElsewhere: ({ requester }) => `pedida por ${requester} en otro chat`,
  diffPending: 'se prepara su diff',
  shownJustNow: 'mostrada hace un momento',
  noNumber: ({ number }) => `No existe la aprobación ${number}. /approvals lista lo que espera.`,
  justArrived: ({ number, command }) =>
    `La aprobación ${number} acaba de llegar; envía ${command}.`,
  sayWhich: ({ count, numbers, command }) =>
    `${counted(count, 'aprobación espera', 'aprobaciones esperan')} (${numbers}); di cuál, por ejemplo ${command}.`,
  shownLate: ({ numbers }) => `${numbers}: recién mostradas aquí; envía el comando otra vez.`,

  digest: {
    counts: ({ asked, approved, denied, unanswered, others }) =>
      `Aprobaciones de la última semana: ${asked} pedidas, ${approved} aprobadas, ${denied} denegadas, ${unanswered} sin respuesta, ${others} permitidas por una regla o canceladas.`,
    median: ({ time }) => `La mitad de las respuestas llegó en ${time}.`,
    often: 'Aprobado a menudo y no denegado:',
    kind: ({ tool, pattern, times }) => `${tool}: ${pattern} (${times} veces)`,
    next: 'countersign gate suggest dice cuáles pueden ser reglas.',
  },
}
