import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { plural } = createFormat('de')

export const terminal: Catalogue['terminal'] = {
  intro: ({ version }) =>
    `Countersign ${version} · /help zeigt, was es kann · Strg-C stoppt, dann beendet es`,
  start: ({ models, sandbox }) => `Modell: ${models}. Sandbox: ${sandbox}.`,
  help: '/help zeigt die Befehle.',
  offline:
    'Kein Modell ist eingestellt: das Offline-Modell versteht ein paar englische Sätze. Versuch „list the files here“, oder „run touch hello.txt“, das dich erst fragt.',
  modelThen: ({ first, second }) => `${first}, danach ${second}`,
  modelByText: ({ name }) => `${name} (ruft Werkzeuge durch Blöcke in seinem Text auf)`,
  modelInDoubt: ({ name, why }) =>
    `${name} (ob es eigene Werkzeugaufrufe hat, ist nicht bekannt: „${why}“)`,
  approve: 'genehmigen',
  deny: 'ablehnen',
  details: 'Einzelheiten',
  always: 'immer',
  reason: 'Grund',
  batchKeys: 'y alle genehmigen · r einzeln · n alle ablehnen',
  choiceKeys: 'a immer · t dieser Durchgang · m 15 min · h 1 h · x 5-mal',
  thenEnter: ({ keys }) => `${keys}, dann Enter`,
  reasonPrompt: 'Grund (Enter: keiner, Esc: zurück)',
  moreWait: ({ count }) => `${count} warten`,
  approvals: ({ count }) => `${count} ${plural(count, 'Genehmigung', 'Genehmigungen')}`,
  allAnswered: 'alle sind beantwortet',
  inTime: ({ time }) => `in ${time}`,
  now: 'jetzt',
  expiresNow: 'läuft jetzt ab',
  expiresIn: ({ time }) => `läuft in ${time} ab`,
  cardCame: ({ name }) => `${name} kam, während du schriebst. Antworte noch einmal.`,
  batchCame: ({ name }) =>
    `Eine Karte für ${name} kam, während du schriebst. Antworte noch einmal.`,
  alwaysNotOffered: ({ number }) => `„Immer“ wird für Genehmigung ${number} nicht angeboten.`,
  alwaysOnSingleCards: '„Immer“ gibt es auf einzelnen Karten; r zeigt sie.',
  notTaken: ({ why }) => `Das wurde nicht angenommen: ${why}`,
  wrong: 'etwas ist schiefgegangen',
  approvedFor: ({ life }) => `genehmigen, ${life},`,
  batchActions: { approve_all: 'alle genehmigen', review: 'einzeln', deny_all: 'alle ablehnen' },
  thinking: 'denkt nach',
  writing: 'schreibt',
}
