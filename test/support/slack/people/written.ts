import { isRecord } from '../params.ts'

/** What a person types, as Slack sends it: `&`, `<` and `>` escaped, mentions (`<@U…>`, `<#C…>`, `<!here>`) kept. */
export function escapeTyped(text: string): string {
  const pieces = text.split(/(<(?:[@#][A-Z0-9]+|!(?:here|channel|everyone|subteam\^[A-Z0-9]+))>)/)
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeMarkup(piece))).join('')
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The rich_text that Slack's composer makes of it, line breaks and mentions only. */
export function composed(text: string): Record<string, unknown>[] {
  if (text === '') return []
  const elements = text
    .split(/(<(?:[@#][A-Z0-9]+|!(?:here|channel|everyone|subteam\^[A-Z0-9]+))>)/)
    .map((piece, index) => (index % 2 === 1 ? mention(piece) : { type: 'text', text: piece }))
    .filter((element) => isRecord(element) && element['text'] !== '')
  const section = { type: 'rich_text_section', elements }
  return [{ type: 'rich_text', elements: [section] }]
}

function mention(token: string): Record<string, unknown> {
  const id = token.slice(2, -1)
  if (token.startsWith('<@')) return { type: 'user', user_id: id }
  if (token.startsWith('<#')) return { type: 'channel', channel_id: id }
  const group = /^subteam\^(.+)$/.exec(id)?.[1]
  if (group !== undefined) return { type: 'usergroup', usergroup_id: group }
  return { type: 'broadcast', range: id }
}
