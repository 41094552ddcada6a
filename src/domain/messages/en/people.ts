/** Strangers, pairing and linked accounts. */
export const people = {
  inviteOnly:
    'This bot works for invited people only. To get in, ask its operator for a pairing code, and send it here.',
  codeInvalid:
    'That code is not valid. A code works once and for a few minutes, and only a few tries a day are checked. Ask the bot’s operator for a new one, and send it here exactly as you got it.',
  notACode: 'If it was not a code, put a word beside it.',
  privateOnly: 'Pairing codes work in a private chat with me only.',
  codeVoid: 'Others could read this one here, so it is void: ask for a new one.',
  codeGarbled:
    'That is not a pairing code. One looks like AB2C-D3EF-G4HJK: send it exactly as you got it.',
  codeUsed: 'You have already used this code. It works once.',
  abilities: {
    user: 'talk to this bot',
    approver: 'talk to this bot and answer everybody’s approvals',
    operator:
      'talk to this bot, answer everybody’s approvals, read everybody’s audit, lift budgets and choose workers',
  },
  welcome: ({ name, abilities, role }: { name: string; abilities: string; role: string }) =>
    `Welcome, ${name}. You may now ${abilities} (role: ${role}). /help lists the commands.`,

  linkPrivately: 'Write /link to me in a private chat: anyone who reads the code could act as you.',
  linkCode: ({ minutes }: { minutes: number }) =>
    `Send this code to me from your other account, in a private chat, after /link, within ${minutes} minutes. I ask there whether you mean it. It works once.`,
  linkMeaning:
    'From then on both accounts are one person: either answers for both, they count once, and each keeps its own role.',
  linkSecret:
    'Show it to nobody: anyone who sends it can act as you. Only the bot’s operator can end a link.',
  linkedTo: ({ accounts }: { accounts: string }) => `Already linked: ${accounts}.`,
  linkOwnAccount:
    'This is the account that the code was made for; it must be sent from your other one. It is void now; /link makes a new one.',
  alreadyLinked: 'These two accounts are already linked.',
  linkExplained:
    'This code links two accounts. Nothing is linked yet.\nWith it, this account and the one that it was made for would be one person to me: the owner of that one would answer your approvals as you do.\nDid somebody give it to you, or ask you to send it? Then stop here: they could act as you.\nDid you make it yourself, by /link from your other account? Then write:',
  linkConfirm: ({ name, platform, id }: { name: string; platform: string; id: string }) =>
    `This code was made by ${name} on ${platform} (${id}). Is that account your own?\nOnce linked, both are one person to me: either answers the approvals of both and approves for both, and they count once. Only the bot’s operator can end that.\nIf it is not yours, stop here: its owner could act as you. If it is, write:`,
  linkedHere: ({ name, id, command }: { name: string; id: string; command: string }) =>
    `Linked. This account and ${name}’s (${id}) are one person to me from now on: either answers for both, they count once, and each keeps its own role. The bot’s operator can end it: ${command}`,
  linkedThere: ({ name, id, command }: { name: string; id: string; command: string }) =>
    `Your code was used. This account and ${name}’s (${id}) are one person to me from now on: either answers for both, they count once, and each keeps its own role. If that is not you, tell the bot’s operator at once. They end it: ${command}`,
  slashHint: ({ platform }: { platform: string }) => `In ${platform} begin with a space.`,
  terminal: 'the terminal',
}
