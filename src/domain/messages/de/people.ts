import type { Catalogue } from '../en/en.ts'

export const people: Catalogue['people'] = {
  inviteOnly:
    'Dieser Bot arbeitet nur für Eingeladene. Bitte die Person, die ihn betreibt, um einen Kopplungscode und sende ihn hier.',
  codeInvalid:
    'Dieser Code ist nicht gültig. Ein Code gilt einmal und wenige Minuten, und pro Tag werden nur wenige Versuche geprüft. Bitte die Person, die den Bot betreibt, um einen neuen und sende ihn genau so, wie du ihn bekommen hast.',
  notACode: 'Wenn es kein Code war, schreib ein Wort dazu.',
  privateOnly: 'Kopplungscodes gelten nur in einem privaten Chat mit mir.',
  codeVoid: 'Diesen konnten andere hier lesen, deshalb ist er ungültig: bitte um einen neuen.',
  codeGarbled:
    'Das ist kein Kopplungscode. Einer sieht aus wie AB2C-D3EF-G4HJK: sende ihn genau so, wie du ihn bekommen hast.',
  codeUsed: 'Du hast diesen Code schon benutzt. Er gilt einmal.',
  abilities: {
    user: 'mit diesem Bot sprechen',
    approver: 'mit diesem Bot sprechen und die Genehmigungen aller beantworten',
    operator:
      'mit diesem Bot sprechen, die Genehmigungen aller beantworten, das Protokoll aller lesen, Budgets aufheben und Worker wählen',
  },
  welcome: ({ name, abilities, role }) =>
    `Willkommen, ${name}. Du darfst jetzt ${abilities} (Rolle: ${role}). /help listet die Befehle auf.`,

  linkPrivately:
    'Schreib mir /link in einem privaten Chat: wer den Code liest, könnte als du auftreten.',
  linkCode: ({ minutes }) =>
    `Sende mir diesen Code von deinem anderen Konto, in einem privaten Chat, nach /link, innerhalb von ${minutes} Minuten. Ich frage dort, ob du es so meinst. Er gilt einmal.`,
  linkMeaning:
    'Danach sind beide Konten eine Person: jedes antwortet für beide, sie zählen einmal, und jedes behält seine Rolle.',
  linkSecret:
    'Zeig ihn niemandem: wer ihn sendet, kann als du auftreten. Nur wer den Bot betreibt, kann eine Verknüpfung beenden.',
  linkedTo: ({ accounts }) => `Schon verknüpft: ${accounts}.`,
  linkOwnAccount:
    'Das ist das Konto, für das der Code gemacht wurde; er muss von deinem anderen kommen. Er ist jetzt ungültig; /link macht einen neuen.',
  alreadyLinked: 'Diese beiden Konten sind schon verknüpft.',
  linkExplained:
    'Dieser Code verknüpft zwei Konten. Noch ist nichts verknüpft.\nDamit wären dieses Konto und das, für das er gemacht wurde, für mich eine Person: wer jenes hat, würde deine Genehmigungen beantworten wie du.\nHat ihn dir jemand gegeben oder dich gebeten, ihn zu senden? Dann hör hier auf: man könnte als du auftreten.\nHast du ihn selbst gemacht, mit /link von deinem anderen Konto? Dann schreib:',
  linkConfirm: ({ name, platform, id }) =>
    `Dieser Code wurde von ${name} auf ${platform} gemacht (${id}). Ist das dein eigenes Konto?\nVerknüpft sind beide für mich eine Person: jedes beantwortet die Genehmigungen beider und genehmigt für beide, und sie zählen einmal. Nur wer den Bot betreibt, kann das beenden.\nWenn es nicht deines ist, hör hier auf: wer es hat, könnte als du auftreten. Wenn doch, schreib:`,
  linkedHere: ({ name, id, command }) =>
    `Verknüpft. Dieses Konto und das von ${name} (${id}) sind für mich ab jetzt eine Person: jedes antwortet für beide, sie zählen einmal, und jedes behält seine Rolle. Wer den Bot betreibt, kann es beenden: ${command}`,
  linkedThere: ({ name, id, command }) =>
    `Dein Code wurde benutzt. Dieses Konto und das von ${name} (${id}) sind für mich ab jetzt eine Person: jedes antwortet für beide, sie zählen einmal, und jedes behält seine Rolle. Wenn du das nicht bist, sag es sofort der Person, die den Bot betreibt. Sie beendet es: ${command}`,
  slashHint: ({ platform }) => `In ${platform} mit einem Leerzeichen beginnen.`,
  terminal: 'dem Terminal',
}
