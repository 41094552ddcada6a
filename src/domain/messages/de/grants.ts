import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted } = createFormat('de')

export const grants: Catalogue['grants'] = {
  none: 'Diese Erlaubnis gibt es nicht.',
  noNumber: ({ number }) => `Es gibt keine gültige Erlaubnis ${number}.`,
  noRule: ({ number }) => `Es gibt keine Regel w${number}. /grants listet sie auf.`,
  ended: 'Diese Erlaubnis ist schon beendet.',
  revoked: ({ number, tool }) =>
    `Erlaubnis ${number} (${tool}) ist widerrufen; ähnliche Aufrufe fragen wieder.`,
  ownerOnly: ({ owner }) => `Das darf nur ${owner} widerrufen oder jemand, der genehmigen darf.`,
  approversOnly:
    'Was für alle gilt, darf nur widerrufen, wer genehmigen darf oder den Bot betreibt.',
  ruleBeingRemoved: ({ number }) => `Regel w${number} wird entfernt.`,
  ruleRemoved: ({ number, tool, worker }) =>
    `Regel w${number} (${tool}) des Workers ${worker} ist entfernt; ähnliche Aufrufe fragen wieder.`,
  rulesDamaged: ({ worker }) =>
    `Die Regeln des Workers ${worker} sind beschädigt, deshalb fragt jeder Aufruf. Was „Immer“ hineingeschrieben hat, lässt sich auflisten und entfernen, sobald sie repariert sind.`,
  usage: 'Aufruf: /grants oder /revoke n mit einer Nummer aus /grants',

  noneInSession: 'In dieser Sitzung gilt keine Erlaubnis.',
  noneOfYours: 'Du hast in dieser Sitzung keine gültige Erlaubnis.',
  ofSession: ({ number }) =>
    `Erlaubnisse in dieser Sitzung; /revoke ${number} widerruft die erste:`,
  yours: ({ number }) =>
    `Deine Erlaubnisse in dieser Sitzung; /revoke ${number} widerruft die erste:`,
  noRules: ({ worker }) => `„Immer“ hat für den Worker ${worker} keine Regeln geschrieben.`,
  rules: ({ worker, number }) =>
    `Regeln, die „Immer“ für alle geschrieben hat, Worker ${worker}; /revoke w${number} entfernt die erste:`,
  until: ({ time }) => `bis ${time}`,
  usesLeft: ({ count }) => `noch ${counted(count, 'Nutzung', 'Nutzungen')}`,
  untilClear: 'bis /clear',
  forTurn: 'für diesen Durchgang',
  forWhom: ({ name }) => `für ${name}`,
  grantedBy: ({ name, time }) => `von ${name}, ${time}`,
}
