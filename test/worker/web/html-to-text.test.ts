import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toContentType } from '../../../src/worker/web/ask.ts'
import { htmlToText } from '../../../src/worker/web/html-to-text.ts'
import { doPageJob } from '../../../src/worker/web/page-process.ts'
import { decodeText, decompress } from '../../../src/worker/web/to-document.ts'
import { parseRetryAfter } from '../../../src/worker/web/visit.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const text = (html: string) => htmlToText(html, 'https://site.example/a/b', 100_000)

describe('htmlToText', () => {
  test.each([
    ['a<p>b</p>c', 'a\n\nb\n\nc'],
    ['<h1>One <i>two</i></h1><h3>Three</h3>', '# One two\n\n### Three'],
    ['a<br>b<br><br>c', 'a\nb\n\nc'],
    ['<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
    ['<ol><li>a<li><p>b</ol>d', '1. a\n\n2. b\n\nd'],
    ['<table><tr><th>A<th>B<tr><td>1<td>2</table>', 'A | B\n1 | 2'],
    ['<pre>  a\n    b  c</pre>d', 'a\n    b  c\n\nd'],
    ['<b>a</b> <i>b</i>c', 'a bc'],
    ['&lt;b&gt; &copy; &#x1F600; &nbsp; x', '<b> © 😀 x'],
    ['<a href=c>d</a>', '[d](https://site.example/a/c)'],
    ['<base href="https://other.example/x/"><a href=c>d</a>', '[d](https://other.example/x/c)'],
    ['<a href="#top">d</a> <a href="javascript:alert(1)">e</a> <a>f</a>', 'd e f'],
    ['<a href=c></a>d', 'd'],
    ['<a href=c><h3>Card</h3><p>text</p></a>', '### [Card\n\ntext](https://site.example/a/c)'],
    ['<img alt="a cat" src=x><img src=y>', '[image: a cat]'],
    ['<p>a<noscript> please</noscript>', 'a please'],
    ['<template>no</template><svg><text>no</text></svg><iframe>no</iframe>a', 'a'],
    ['<p aria-hidden="true">no</p><p style="color:red;VISIBILITY : hidden">no</p>a', 'a'],
    ['<!-- no --><style>no</style><script>no</script>', ''],
    ['<dialog>no</dialog><dialog open>yes</dialog>', 'yes'],
  ])('WEB-01 %j', (html, expected) => {
    expect(text(html)).toBe(expected)
  })

  test('WEB-01 text beyond the limit is truncated with a note', () => {
    const cut = htmlToText('<p>word</p>'.repeat(1_000), 'https://site.example/', 100)
    expect(cut).toMatch(/^word[\s\S]{90,110}\n\[cut: the page is longer\]$/)
  })

  const soup = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...'<p> </p> <a href="x"> </a> <li> <ul> </ul> <table> <tr> <td> <pre> </pre> <!-- --> <br> <h1> </h1> <script> </script> <svg> <base href="//"> & &amp; &#0; <template> ]]> <select> <option> <b> </b> <frameset> <plaintext>'.split(
          ' ',
        ),
      ),
      fc.string({ unit: anyCharacter }),
    ),
    { maxLength: 60 },
  )

  test('WEB-01 any page yields text of a bounded size', () => {
    fc.assert(
      fc.property(soup, fc.string(), (parts, url) => {
        const html = parts.join('')
        const answer = doPageJob({ kind: 'text', html, url, maxCharacters: 1_000 })
        expect(answer.kind).toBe('ok')
        if (answer.kind === 'ok') expect(answer.output.length).toBeLessThan(1_100)
      }),
    )
  })

  const plain = fc.array(
    fc.constantFrom('<p>', '</p>', 'word ', '<b>', '<a href="x">', '</a>', '<ul>', '<li>', '&lt;'),
    { maxLength: 30 },
  )

  test('WEB-01 the content of scripts and styles is never part of the text', () => {
    fc.assert(
      fc.property(fc.constantFrom('script', 'style', 'template'), plain, (tag, parts) => {
        const html = parts.join('')
        expect(text(`${html}<${tag}>q9z7k</${tag}>${html}`)).not.toContain('q9z7k')
      }),
    )
  })

  test('WEB-01 no selector makes it throw', () => {
    const pieces = fc.array(
      fc.constantFrom(
        ...'a p * > + ~ , :has( :not( :is( ) [ ] [a="b"] :nth-child(2n) :eq(1) :first #x .y :: | \\'.split(
          ' ',
        ),
        ' ',
      ),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const select = parts.join('')
        const checked = doPageJob({ kind: 'check', select })
        const job = { kind: 'select' as const, markup: '<p><a>x</a></p>', isXml: false, select }
        const found = doPageJob({ ...job, extract: 'text', limit: 10, maxCharacters: 1_000 })
        if (checked.kind === 'ok') expect(found.kind).toBe('ok')
      }),
    )
  })
})

describe('parsing of headers and bytes', () => {
  test('WEB-01 no header and no body makes it throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.uint8Array(), fc.string(), async (header, bytes, coding) => {
        const body = Buffer.from(bytes)
        const { charset } = toContentType(header)
        decodeText(body, charset ?? coding)
        await decompress(body, coding, 100)
        await decompress(body, 'gzip', 100)
        await decompress(body, 'br', 100)
        await decompress(body, 'deflate', 100)
        parseRetryAfter(header, 0)
      }),
    )
  })

  test.each([
    ['5', 5_000],
    ['99999999', 900_000],
    ['Thu, 01 Jan 1970 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 1969 23:59:00 GMT', 0],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('WEB-06 Retry-After %j is %s ms', (header, ms) => {
    expect(parseRetryAfter(header, 0)).toBe(ms)
  })
})
