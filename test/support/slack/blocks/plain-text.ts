import { isRecord } from '../params.ts'

/** What a person reads in blocks, a line a paragraph; mrkdwn and markdown as they were written. */
export function textOf(blocks: readonly unknown[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n')
}

function blockText(block: unknown): string {
  if (!isRecord(block)) return ''
  switch (block['type']) {
    case 'rich_text':
      return elementsText(block['elements'])
    case 'table':
    case 'data_table':
      return rowsText(block['rows'])
    case 'actions':
    case 'context_actions':
    case 'divider':
      return ''
    case 'context':
      return listOf(block['elements']).map(plain).join(' ')
    case 'plan':
      return [plain(block['title']), textOf(listOf(block['tasks']))].join('\n')
    case 'container':
      return [plain(block['title']), textOf(listOf(block['child_blocks']))].join('\n')
    case 'carousel':
      return textOf(listOf(block['elements']))
    default:
      return fieldsText(block)
  }
}

function fieldsText(block: Record<string, unknown>): string {
  const names = ['title', 'subtitle', 'label', 'text', 'body', 'details', 'output']
  const parts = names.map((name) => nested(block[name]))
  const fields = listOf(block['fields']).map(plain)
  return [...parts, ...fields].filter((text) => text !== '').join('\n')
}

function nested(value: unknown): string {
  return isRecord(value) && value['type'] === 'rich_text' ? blockText(value) : plain(value)
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isRecord(value)) return ''
  if (value['type'] === 'image') return plain(value['alt_text'])
  return typeof value['text'] === 'string' ? value['text'] : ''
}

function rowsText(rows: unknown): string {
  return listOf(rows)
    .map((row) => listOf(row).map(nested).join(' | '))
    .join('\n')
}

function elementsText(elements: unknown): string {
  return listOf(elements)
    .map((element) => elementText(element))
    .join('\n')
}

function elementText(element: unknown): string {
  if (!isRecord(element)) return ''
  if (element['type'] !== 'rich_text_list') return listOf(element['elements']).map(inline).join('')
  const indent = '  '.repeat(typeof element['indent'] === 'number' ? element['indent'] : 0)
  const offset = typeof element['offset'] === 'number' ? element['offset'] : 0
  return listOf(element['elements'])
    .map((item, index) => {
      const mark = element['style'] === 'ordered' ? `${offset + index + 1}.` : '•'
      return `${indent}${mark} ${elementText(item)}`
    })
    .join('\n')
}

function inline(element: unknown): string {
  if (!isRecord(element)) return ''
  switch (element['type']) {
    case 'user':
      return `<@${plain(element['user_id'])}>`
    case 'usergroup':
      return `<!subteam^${plain(element['usergroup_id'])}>`
    case 'channel':
      return `<#${plain(element['channel_id'])}>`
    case 'broadcast':
      return `<!${plain(element['range'])}>`
    case 'emoji':
      return `:${plain(element['name'])}:`
    case 'link':
      return plain(element['text'] ?? element['url'])
    case 'date':
      return plain(element['fallback'])
    default:
      return plain(element['text'])
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
