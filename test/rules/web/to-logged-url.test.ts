import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toLoggedUrl } from '../../../src/rules/web/to-logged-url.ts'

describe('toLoggedUrl', () => {
  test.each([
    ['https://user:pass@site.example/a?b=c#d', 'https://site.example/a?b=c'],
    [
      'https://site.example/?access_token=abc&q=cats',
      'https://site.example/?access_token=[redacted]&q=cats',
    ],
    ['https://site.example/?API-KEY=a%20b', 'https://site.example/?API-KEY=[redacted]'],
    ['https://site.example/?%70assword=x', 'https://site.example/?%70assword=[redacted]'],
    [
      'https://site.example/?X-Amz-Signature=0&X-Amz-Expires=60',
      'https://site.example/?X-Amz-Signature=[redacted]&X-Amz-Expires=60',
    ],
    [
      'https://site.example/?v=9f86d081884c7d659a2feaa0c55ad015',
      'https://site.example/?v=[redacted]',
    ],
    ['https://site.example/?9f86d081884c7d659a2feaa0c55ad015', 'https://site.example/?[redacted]'],
    ['https://site.example/a;jsessionid=1/b', 'https://site.example/a;jsessionid=[redacted]/b'],
    ['https://site.example/?next=https://u:p@x.example/', 'https://site.example/?next=[redacted]'],
    ['https://site.example/?q=a=b&empty=&flag', 'https://site.example/?q=a=b&empty=&flag'],
    ['https://site.example/?token=', 'https://site.example/?token='],
    ['no url', '[not a URL]'],
  ])('WEB-07 %s is logged as %s', (url, logged) => {
    expect(toLoggedUrl(url)).toBe(logged)
  })

  test('WEB-07 no user name, password or value of a secret name remains, in any context', () => {
    const names = fc.constantFrom('token', 'client_secret', 'sig', 'apikey', 'auth', 'session_id')
    const text = fc.string({ maxLength: 10 }).map(encodeURIComponent)
    fc.assert(
      fc.property(names, text, text, (name, before, path) => {
        const secret = 'q9z7k'
        const url = `https://${secret}:${secret}@site.example/${path}?${before}&${name}=${secret}&x#${secret}`
        expect(toLoggedUrl(url)).not.toContain(secret)
      }),
    )
  })

  test('WEB-07 never throws, and the result is bounded', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string(),
        (url, text) => {
          expect(toLoggedUrl(url).length).toBeLessThanOrEqual(2_000)
          expect(toLoggedUrl(`${url}?${text}`).length).toBeLessThanOrEqual(2_000)
          toLoggedUrl(text)
        },
      ),
    )
  })
})
