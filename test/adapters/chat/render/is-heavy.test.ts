import { describe, expect, test } from 'vitest'
import { isHeavy } from '../../../../src/adapters/chat/render/is-heavy.ts'

const code = `\`\`\`c\n${'a[i] = *b[j];\n'.repeat(500)}`

describe('markdown that takes too long to parse', () => {
  test.each([
    ['too long', 'x'.repeat(32_001)],
    ['a paragraph full of marks', '*a_'.repeat(201)],
    ['many such paragraphs', `${'*a_'.repeat(190)}\n\n`.repeat(20)],
    ['comments that do not end', 'x <!--'.repeat(101)],
    ['instructions that do not end', 'x <?'.repeat(101)],
    ['very much code in a paragraph', '`a` '.repeat(1_001)],
    ['lists in lists', `${'- '.repeat(41)}a`],
    ['lists in lists by indent', `${'  '.repeat(40)}- a`],
    ['quotes in quotes', '>'.repeat(41)],
    ['very many items', '- a\n'.repeat(2_001)],
    ['very many headings by underline', 'a\n=\n'.repeat(201)],
    ['marks behind a fence that is closed', `${code}\`\`\`\n${'*a_'.repeat(201)}`],
  ])('REL-02 %s', (_name, markdown) => {
    expect(isHeavy(markdown)).toBe(true)
  })

  test.each([
    ['a list of files', '- `a.ts`, `b.ts` and `c.ts`\n'.repeat(300)],
    ['code in a fence', `${code}\`\`\`\n\nand *words*`],
    ['code in a fence that is still open', code],
    ['code that is far to the right', `\`\`\`\n${' '.repeat(200)}- x\n\`\`\``],
    ['a long list', '- some words\n'.repeat(1_900)],
    ['many rules', '---\n\n'.repeat(2_000)],
    ['a table', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(2_000)}`],
  ])('CHAT-05 but not %s', (_name, markdown) => {
    expect(isHeavy(markdown)).toBe(false)
  })
})
