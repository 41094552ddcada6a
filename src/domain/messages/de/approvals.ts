import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, plural } = createFormat('de')

const counts = [
  'niemand',
  'eine',
  'zwei',
  'drei',
  'vier',
  'fünf',
  'sechs',
  'sieben',
  'acht',
  'neun',
  'zehn',
]
const inWords = (count: number): string => counts[count] ?? String(count)
const others = (allowSelf: boolean): string => (allowSelf ? '' : ', aber nicht wer gefragt hat')

export const approvals: Catalogue['approvals'] = {
  none: 'Diese Genehmigung gibt es nicht.',
  noneOfBatch: 'Diese Genehmigungen gibt es nicht.',
  noneForProgram: 'In dieser Sitzung gibt es keine solche Genehmigung, die du beantworten kannst.',
  nothingWaits: 'Nichts wartet auf eine Antwort.',
  allAnswered: 'Alle sind schon beantwortet.',
  stillWaiting: 'Diese Genehmigung wartet noch.',
  expired: 'Diese Genehmigung ist abgelaufen.',
  replaced: 'Diese Genehmigung wurde durch eine neuere ersetzt.',

  lives: {
    turn: 'für diesen Durchgang',
    '15m': 'für 15 min',
    '1h': 'für 1 h',
    '5x': 'noch 5-mal',
    always: 'immer',
  },
  approved: 'Genehmigt.',
  approvedFor: ({ life }) => `Genehmigt, ${life}.`,
  approvedOnce: 'Genehmigt, dieses eine Mal: nicht alle haben auf „Immer“ getippt.',
  denied: 'Abgelehnt.',
  deniedWithReason: 'Abgelehnt, mit deiner Begründung.',
  explainHere:
    'Schreib den Grund (in einer Gruppe als Antwort auf die Karte) oder tippe auf „Nur ablehnen“.',
  explainHereWithin: ({ minutes }) =>
    `Schreib innerhalb von ${minutes} Minuten den Grund (in einer Gruppe als Antwort auf die Karte) oder tippe auf „Nur ablehnen“.`,
  explainByReply: 'Antworte auf die Karte mit dem Grund oder tippe auf „Nur ablehnen“.',
  explainByReplyWithin: ({ minutes }) =>
    `Antworte innerhalb von ${minutes} Minuten auf die Karte mit dem Grund oder tippe auf „Nur ablehnen“.`,
  votes: ({ approved, people }) => `${approved} von ${people} haben genehmigt`,
  voteCounted: ({ votes }) => `Gezählt: ${votes}.`,
  voteRepeated: ({ votes }) => `Deine Genehmigung zählt schon: ${votes}.`,

  alreadyApproved: ({ by, at, life }) =>
    `Schon genehmigt${by === undefined ? '' : ` von ${by}`}${at === undefined ? '' : ` ${at}`}${life === undefined ? '' : `, ${life}`}.`,
  alreadyDenied: ({ by, at }) =>
    `Schon abgelehnt${by === undefined ? '' : ` von ${by}`}${at === undefined ? '' : ` ${at}`}.`,
  allowedByRule: ({ at }) =>
    `Eine mit „Immer“ angelegte Regel hat es${at === undefined ? '' : ` ${at}`} erlaubt.`,
  expiredAt: ({ at }) => `Diese Genehmigung ist${at === undefined ? '' : ` ${at}`} abgelaufen.`,
  stoppedBy: ({ by, at }) => `Gestoppt von ${by}${at === undefined ? '' : ` ${at}`}.`,
  cancelled: ({ at, why }) =>
    `Abgebrochen${at === undefined ? '' : ` ${at}`}${why === undefined ? '' : `: ${why}`}.`,
  atTime: ({ time }) => `um ${time}`,
  onDay: ({ day }) => `am ${day}`,

  mayNotAnswer: ({ who }) => `Du darfst das nicht beantworten. Das darf: ${who}.`,
  mayOnlyDeny: ({ who }) =>
    `Du darfst das ablehnen, aber nicht genehmigen. Genehmigen darf: ${who}.`,
  tooLarge: 'Es ist zu groß, um gezeigt zu werden, und kann nur abgelehnt werden.',
  alwaysNotOffered:
    '„Immer“ wird für diesen Aufruf nicht angeboten; genehmige ihn oder lehne ihn ab.',
  cardNotShown: 'Die Karte wurde noch nicht gezeigt; das muss zuerst geschehen.',
  cardElsewhere: 'Die Karte steht in einem anderen Chat; /approvals zeigt sie zuerst hier.',
  openCardFirst:
    'Öffne zuerst die eigene Karte dieses Aufrufs; sie zeigt, was „Immer“ erlauben würde.',
  eachShown: 'Jeder hat jetzt eine eigene Karte.',
  eachAlreadyShown: 'Jeder hat hier schon eine eigene Karte.',

  requester: 'wer gefragt hat',
  someone: 'jemand',
  byRule: 'einer Regel',
  requesterOrApprover: ({ requester }) => `${requester} oder jemand, der genehmigen darf`,
  people: ({ count }) =>
    count === 0 ? 'niemand' : `${inWords(count)} ${plural(count, 'Person', 'Personen')}`,
  peopleOrApprovers: ({ count }) =>
    `${inWords(count)} Personen: wer gefragt hat oder genehmigen darf`,
  approvers: ({ count, allowSelf }) =>
    `${inWords(count)} ${plural(count, 'Person, die genehmigen darf', 'Personen, die genehmigen dürfen')}${others(allowSelf)}`,
  operators: ({ count, allowSelf }) =>
    `${inWords(count)} ${plural(count, 'Person mit Betreiberrolle', 'Personen mit Betreiberrolle')}${others(allowSelf)}`,
  orMore: ({ names, count }) => `${names} oder ${count} weitere`,

  editNotMade: ({ why }) => `Nicht geändert: ${why}`,
  editNoTool: ({ tool }) => `es gibt kein Werkzeug ${tool}`,
  editSame: 'das steht schon da',
  edited: 'Geändert. Es wird neu geprüft, mit deiner Genehmigung.',
  editedWithoutVote:
    'Geändert. Es wird neu geprüft, ohne deine Genehmigung: es war nicht alles gezeigt worden.',
  editPrompt: ({ minutes, what }) =>
    `Antworte innerhalb von ${minutes} Minuten auf die Karte mit ${what}.`,
  editSubjects: {
    command: 'dem neuen Befehl',
    url: 'der neuen URL',
    arguments: 'einem JSON-Objekt der zu ändernden Argumente',
  },

  name: ({ number, tool }) => `Genehmigung ${number} (${tool})`,
  names: ({ numbers }) => `Genehmigungen ${numbers}`,
  about: ({ number, text }) => `Genehmigung ${number}: ${text}`,
  aboutMany: ({ numbers, text }) => `${numbers}: ${text}`,
  reminder: ({ name, isOne, until }) =>
    `${name} ${isOne ? 'wartet' : 'warten'} noch auf Antwort, bis ${until}. /approvals zeigt die Karte noch einmal.`,
  reminderFor: ({ name, requester, isOne, until }) =>
    `${name} für ${requester} ${isOne ? 'wartet' : 'warten'} noch auf Antwort, bis ${until}. /approvals zeigt die Karte noch einmal.`,
  notDelivered: ({ name, isOne }) =>
    `${name} ${isOne ? 'hat' : 'haben'} noch niemanden erreicht, deshalb steht die Karte auch hier.`,
  notShown: ({ name, isOne, which }) =>
    `${name} ${isOne ? 'konnte' : 'konnten'} hier nicht gezeigt werden. /deny ${which} lehnt ab; /approvals versucht es noch einmal.`,
  waitsInChannel: ({ name, isOne }) =>
    `${name} ${isOne ? 'wartet' : 'warten'} im Kanal für Genehmigungen. /approvals zeigt die Karte hier.`,
  waitsFor: ({ name, isOne, who }) =>
    `${name} ${isOne ? 'wartet' : 'warten'} auf ${who}, privat gefragt. /approvals zeigt die Karte hier.`,
  waitsAlsoFor: ({ name, isOne, who }) =>
    `${name} ${isOne ? 'wartet' : 'warten'} jetzt auch auf ${who}.`,
  tooFewReached: ({ name, isOne, people, reached }) =>
    `${name} ${isOne ? 'braucht' : 'brauchen'} ${people} zum Genehmigen, privat erreichbar: ${reached}. Deshalb steht die Karte auch hier.`,
  expiredStopped: ({ number, tool }) =>
    `Genehmigung ${number} (${tool}) ist ohne Antwort abgelaufen, deshalb wurde der Durchgang gestoppt. Schreib noch einmal, um weiterzumachen.`,
  waitAfterMessage: ({ numbers, isOne }) =>
    isOne ? `Genehmigung ${numbers} wartet noch.` : `Genehmigungen ${numbers} warten noch.`,

  waiting: ({ count }) =>
    count === 1 ? 'Eine Genehmigung wartet:' : `${count} Genehmigungen warten:`,
  askedElsewhere: ({ requester }) => `angefragt von ${requester} in einem anderen Chat`,
  diffPending: 'der Diff wird vorbereitet',
  shownJustNow: 'gerade eben gezeigt',
  noNumber: ({ number }) =>
    `Es gibt keine Genehmigung ${number}. /approvals listet auf, was wartet.`,
  justArrived: ({ number, command }) =>
    `Genehmigung ${number} ist gerade erst gekommen; sende ${command}.`,
  sayWhich: ({ count, numbers, command }) =>
    `${counted(count, 'Genehmigung wartet', 'Genehmigungen warten')} (${numbers}); sag, welche, zum Beispiel ${command}.`,
  shownLate: ({ numbers }) => `${numbers}: eben erst hier gezeigt; sende den Befehl noch einmal.`,

  digest: {
    counts: ({ asked, approved, denied, unanswered, others }) =>
      `Genehmigungen der letzten Woche: ${asked} gefragt, ${approved} genehmigt, ${denied} abgelehnt, ${unanswered} unbeantwortet, ${others} durch eine Regel erlaubt oder abgebrochen.`,
    median: ({ time }) => `Die Hälfte der Antworten kam innerhalb von ${time}.`,
    often: 'Oft genehmigt und nicht abgelehnt:',
    kind: ({ tool, pattern, times }) => `${tool}: ${pattern} (${times}-mal)`,
    next: 'countersign gate suggest zeigt, welche davon Regeln werden können.',
  },
}
