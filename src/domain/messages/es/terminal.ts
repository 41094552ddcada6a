import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { plural } = createFormat('es')

export const terminal: Catalogue['terminal'] = {
  intro: ({ version }) =>
    `Countersign ${version} · /help muestra qué sabe hacer · Ctrl-C detiene y luego sale`,
  start: ({ models, sandbox }) => `Modelo: ${models}. Sandbox: ${sandbox}.`,
  help: '/help muestra los comandos.',
  offline:
    'No hay ningún modelo configurado: el modelo sin conexión entiende unas pocas frases en inglés. Prueba «list the files here», o «run touch hello.txt», que antes te pregunta.',
  modelThen: ({ first, second }) => `${first}, después ${second}`,
  modelByText: ({ name }) => `${name} (llama a las herramientas con bloques en su texto)`,
  modelInDoubt: ({ name, why }) =>
    `${name} (no se sabe si tiene llamadas a herramientas propias: «${why}»)`,
  approve: 'aprobar',
  deny: 'denegar',
  details: 'detalles',
  always: 'siempre',
  reason: 'motivo',
  batchKeys: 'y aprobar todas · r una a una · n denegar todas',
  choiceKeys: 'a siempre · t este turno · m 15 min · h 1 h · x 5 veces',
  thenEnter: ({ keys }) => `${keys}, y luego Intro`,
  reasonPrompt: 'motivo (Intro: ninguno, Esc: atrás)',
  moreWait: ({ count }) => `${count} esperan`,
  approvals: ({ count }) => `${count} ${plural(count, 'aprobación', 'aprobaciones')}`,
  allAnswered: 'todas están respondidas',
  inTime: ({ time }) => `en ${time}`,
  now: 'ahora',
  expiresNow: 'caduca ahora',
  expiresIn: ({ time }) => `caduca en ${time}`,
  cardCame: ({ name }) => `${name} llegó mientras escribías. Responde otra vez.`,
  batchCame: ({ name }) => `Una tarjeta con ${name} llegó mientras escribías. Responde otra vez.`,
  alwaysNotOffered: ({ number }) => `«Siempre» no se ofrece para la aprobación ${number}.`,
  alwaysOnSingleCards: '«Siempre» se ofrece en tarjetas sueltas; r las muestra.',
  notTaken: ({ why }) => `Eso no se aceptó: ${why}`,
  wrong: 'algo salió mal',
  approvedFor: ({ life }) => `aprobar, ${life},`,
  batchActions: { approve_all: 'aprobar todas', review: 'una a una', deny_all: 'denegar todas' },
  thinking: 'pensando',
  writing: 'escribiendo',
}
