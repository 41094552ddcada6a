import fc from 'fast-check'
import type { MessageEntity } from 'grammy/types'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../run/any-character.ts'
import { nestedEntities } from './entities.ts'
import { parseHtml } from './html.ts'
import { HtmlError } from './html-error.ts'

test.each([
  ['a < b', 'Unsupported start tag "" at byte offset 2'],
  ['é <h1>x</h1>', 'Unsupported start tag "h1" at byte offset 3'],
  ['<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
  ['x</b>', 'Unexpected end tag at byte offset 1'],
  ['<b><i>x</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
  ['<b', 'Unclosed start tag at byte offset 0'],
  ['<b>x</b', 'Unclosed end tag at byte offset 4'],
  ['<a href="x', 'Unclosed start tag at byte offset 0'],
  ['<a href', 'Unclosed start tag "a" at byte offset 0'],
  ['<a href=x/y>z</a>', 'Unexpected end of name token at byte offset 8'],
  ['<a ="x">z</a>', 'Empty attribute name in the tag "a" at byte offset 0'],
  ['<br/>', 'Unsupported start tag "br/" at byte offset 0'],
  ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ['<tg-emoji emoji-id="x">x</tg-emoji>', 'Invalid custom emoji identifier specified'],
  ['<!-- x -->', 'Unsupported start tag "!--" at byte offset 0'],
  [
    '&#xd800;',
    'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
  ],
])('%s is refused', (html, why) => {
  expect(() => parseHtml(html)).toThrow(new HtmlError(why))
})

const at = (type: MessageEntity['type'], offset: number, length: number, more = {}) => ({
  type,
  offset,
  length,
  ...more,
})

test.each<[string, string, object[]]>([
  ['<b>a</b> <STRONG>b</strong >', 'a b', [at('bold', 0, 1), at('bold', 2, 1)]],
  ['<i>😀</i><em>b</>', '😀b', [at('italic', 0, 2), at('italic', 2, 1)]],
  ['<u>a</u><ins>b</ins>', 'ab', [at('underline', 0, 1), at('underline', 1, 1)]],
  [
    '<s>a</s><strike>b</strike><del>c</del>',
    'abc',
    [at('strikethrough', 0, 1), at('strikethrough', 1, 1), at('strikethrough', 2, 1)],
  ],
  [
    '<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span>',
    'ab',
    [at('spoiler', 0, 1), at('spoiler', 1, 1)],
  ],
  [
    '<a href="https://a.example/?x=1&amp;y=2">a</a>',
    'a',
    [at('text_link', 0, 1, { url: 'https://a.example/?x=1&y=2' })],
  ],
  ['<a href="javascript:alert(1)">a</a>', 'a', []],
  ['<a href="nowhere">a</a>', 'a', []],
  ['<pre>a</pre><code>b</code>', 'ab', [at('pre', 0, 1), at('code', 1, 1)]],
  ['<pre><code class="language-ts">a</code></pre>', 'a', [at('pre', 0, 1, { language: 'ts' })]],
  ['<code class="language-ts">a</code>', 'a', [at('code', 0, 1)]],
  ['<blockquote expandable>a</blockquote>', 'a', [at('expandable_blockquote', 0, 1)]],
  ['<blockquote>a</blockquote>', 'a', [at('blockquote', 0, 1)]],
  [
    '<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>',
    '👍',
    [at('custom_emoji', 0, 2, { custom_emoji_id: '5368324170671202286' })],
  ],
  ['&lt;&gt;&amp;&quot;&#60;&#x3c;&lt ', '<>&"<<< ', []],
  [
    '&nbsp;&apos;&LT;&constructor; & &#0;&#x110000;',
    '&nbsp;&apos;&LT;&constructor; & &#0;&#x110000;',
    [],
  ],
  ['<b></b>', '', []],
])('%s is read', (html, text, entities) => {
  const { text: read, entities: found } = parseHtml(html)
  expect({ text: read, entities: found }).toEqual({ text, entities })
})

test('code holds no formatting and links hold no code', () => {
  const kinds = (html: string) =>
    nestedEntities(parseHtml(html).entities).map(({ type, offset, length }) => [
      type,
      offset,
      length,
    ])
  expect(kinds('<b>a<code>b</code>c</b>')).toEqual([
    ['bold', 0, 1],
    ['code', 1, 1],
    ['bold', 2, 1],
  ])
  expect(kinds('<pre>a<b>b</b></pre>')).toEqual([['pre', 0, 2]])
  expect(kinds('<a href="https://a.example">a<code>b</code></a>')).toEqual([['text_link', 0, 2]])
  expect(kinds('<blockquote>a<blockquote>b</blockquote></blockquote>')).toEqual([
    ['blockquote', 0, 2],
  ])
  expect(kinds('<b>a<b>b</b></b>')).toEqual([['bold', 0, 2]])
})

const pieces = fc.constantFrom(
  ...'< > / & ; " \' = a b x é 😀 \0 \n </ <b> </b> <i> </i> <a href= <a> </a> <pre> </pre> <code class="language- </code> <span class="tg-spoiler"> </span> <blockquote expandable> </blockquote> &lt &#x &#55357; &amp; "> <tg-emoji'.split(
    ' ',
  ),
  ' ',
  '\ud83d',
)

test('whatever comes, it is refused in words or read with entities inside the text', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const source = parts.join('').toWellFormed()
      let read: ReturnType<typeof parseHtml>
      try {
        read = parseHtml(source)
      } catch (error) {
        expect(error).toBeInstanceOf(HtmlError)
        return
      }
      expect(read.text.isWellFormed()).toBe(true)
      for (const entity of [...read.entities, ...nestedEntities(read.entities)]) {
        expect(entity.length).toBeGreaterThan(0)
        expect(entity.offset).toBeGreaterThanOrEqual(0)
        expect(entity.offset + entity.length).toBeLessThanOrEqual(read.text.length)
      }
    }),
    { numRuns: 3000 },
  )
})

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

test('what was escaped comes out as it was, and forms nothing', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(pieces).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (any) => {
      const plain = any.toWellFormed()
      expect(parseHtml(escaped(plain))).toEqual({ text: plain, entities: [] })
      const quoted = parseHtml(`<pre><code class="language-x">${escaped(plain)}</code></pre>`)
      expect(quoted.text).toBe(plain)
    }),
    { numRuns: 1000 },
  )
})

interface Tree {
  readonly tag: string
  readonly parts: readonly (string | Tree)[]
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    tag: fc.constantFrom('b', 'i', 'u', 's', 'blockquote', 'code', 'tg-spoiler'),
    parts: fc.array(
      fc.oneof(
        { maxDepth: 4, depthIdentifier: 'tree' },
        fc.string({ unit: anyCharacter }),
        tie('tree'),
      ),
      { maxLength: 4 },
    ),
  }),
}))

const htmlOf = ({ tag, parts }: Tree): string =>
  `<${tag}>${parts.map((part) => (typeof part === 'string' ? escaped(part) : htmlOf(part))).join('')}</${tag}>`
const textOf = ({ parts }: Tree): string =>
  parts.map((part) => (typeof part === 'string' ? part : textOf(part))).join('')

test('well nested markup is read with its text, and nested entities keep the rules', () => {
  fc.assert(
    fc.property(tree, (given) => {
      const { text, entities } = parseHtml(htmlOf(given))
      expect(text).toBe(textOf(given))
      const nested = nestedEntities(entities)
      for (const code of nested.filter(({ type }) => type === 'code')) {
        const inside = nested.filter(
          (entity) =>
            entity.offset < code.offset + code.length &&
            code.offset < entity.offset + entity.length,
        )
        expect(inside.filter(({ type }) => type !== 'blockquote')).toEqual([code])
      }
    }),
  )
})
