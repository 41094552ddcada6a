import type { Catalogue } from '../en/en.ts'

export const chat: Catalogue['chat'] = {
  messageKept:
    'Die Datenbank ist nicht erreichbar; deine Nachricht bleibt und wird bearbeitet, wenn sie wieder da ist.',
  tapKept:
    'Die Datenbank ist nicht erreichbar; dein Tippen ist notiert und wirkt, wenn sie wieder da ist.',
  tapLost:
    'Die Datenbank ist nicht erreichbar: nichts ist geschehen. Tippe noch einmal, wenn sie wieder da ist.',
  commandLost:
    'Die Datenbank ist nicht erreichbar: nichts ist geschehen. Sende es noch einmal, wenn sie wieder da ist.',
  messageRetried:
    'Die Datenbank ist nicht erreichbar: Slack stellt deine Nachricht etwa sechs Minuten lang noch einmal zu.',
  messageLost:
    'Die Datenbank ist weiter nicht erreichbar, und Slack gibt auf: sende deine Nachricht später bitte noch einmal.',
  formNotOpened: 'Slack hat das Formular nicht geöffnet: tippe bitte noch einmal.',

  denyTitle: ({ number }) => `Nr. ${number} ablehnen`,
  editTitle: ({ number }) => `Nr. ${number} ändern`,
  deny: 'Ablehnen',
  askAgain: 'Neu fragen',
  cancel: 'Abbrechen',
  whyNot: 'Warum nicht? Das Modell liest es.',
  newCall: 'Wie soll es heißen? Es wird geprüft und noch einmal gefragt.',
  notShownHere: 'Es lässt sich hier nicht zeigen: schreib alles.',

  suggestions: {
    abilities: {
      title: 'Was kannst du hier?',
      message: 'Was kannst du hier, und wonach wirst du mich fragen?',
    },
    waiting: 'Was wartet auf Genehmigung?',
    usage: 'Wie viel habe ich verbraucht?',
  },
  thinking: 'denkt nach…',
  goodAnswer: 'Diese Antwort ist gut',
  badAnswer: 'Diese Antwort ist schlecht',
}
