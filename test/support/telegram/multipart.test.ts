import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../run/any-character.ts'
import { parseMultipart } from './multipart.ts'

test('fields and files come out as they were written, whoever wrote them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: anyCharacter }),
      fc.uint8Array({ maxLength: 500 }),
      async (field, bytes) => {
        // A form ends lines its own way.
        const text = field.toWellFormed().replaceAll(/\r\n|\r|\n/g, '\r\n')
        const form = new FormData()
        form.set('caption', text)
        form.set('file', new File([bytes], 'a b.txt', { type: 'text/plain' }))
        const request = new Request('http://localhost', { method: 'POST', body: form })
        const type = request.headers.get('content-type') ?? ''
        const read = parseMultipart(Buffer.from(await request.arrayBuffer()), type)
        expect(read?.fields.get('caption')).toBe(text)
        expect(read?.files.get('file')).toEqual({ name: 'a b.txt', mimeType: 'text/plain', bytes })
      },
    ),
    { numRuns: 100 },
  )
})

test('what is no form is none, and nothing is thrown', () => {
  const line = fc.constantFrom(
    '--x',
    '--x--',
    '\r\n',
    'content-disposition:form-data;name="a"',
    'y',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      parseMultipart(Buffer.from(lines.join('')), 'multipart/form-data; boundary=x')
    }),
  )
  expect(parseMultipart(Buffer.from('--x\r\n'), 'multipart/form-data; boundary=x')).toBeUndefined()
  expect(parseMultipart(Buffer.from(''), 'multipart/form-data')).toBeUndefined()
})
