import type { Catalogue } from '../en/en.ts'

export const chat: Catalogue['chat'] = {
  messageKept:
    'La base de datos no está disponible; tu mensaje se guarda y se atiende cuando vuelva.',
  tapKept: 'La base de datos no está disponible; tu toque se guarda y se atiende cuando vuelva.',
  tapLost: 'La base de datos no está disponible: no se hizo nada. Toca otra vez cuando vuelva.',
  commandLost:
    'La base de datos no está disponible: no se hizo nada. Envíalo otra vez cuando vuelva.',
  messageRetried:
    'La base de datos no está disponible: Slack vuelve a entregar tu mensaje durante unos seis minutos.',
  messageLost:
    'La base de datos sigue sin estar disponible y Slack desiste: envía tu mensaje más tarde, por favor.',
  formNotOpened: 'Slack no abrió el formulario: toca otra vez, por favor.',

  denyTitle: ({ number }) => `Denegar aprobación ${number}`,
  editTitle: ({ number }) => `Cambiar aprobación ${number}`,
  deny: 'Denegar',
  askAgain: 'Preguntar de nuevo',
  cancel: 'Cancelar',
  whyNot: '¿Por qué no? El modelo lo lee.',
  newCall: '¿Qué debe decir? Se evalúa y se pregunta de nuevo.',
  notShownHere: 'No se puede mostrar aquí: escríbelo todo.',

  suggestions: {
    abilities: {
      title: '¿Qué sabes hacer aquí?',
      message: '¿Qué sabes hacer aquí y qué me preguntarás?',
    },
    waiting: '¿Qué espera aprobación?',
    usage: '¿Cuánto he usado?',
  },
  thinking: 'está pensando…',
  goodAnswer: 'Esta respuesta es buena',
  badAnswer: 'Esta respuesta es mala',
}
