/** A context in which a credential may occur; `make` returns the surrounding text with the credential. */
export interface Form {
  readonly name: string
  make(value: string): string
}

/** Contexts in which a token with a distinctive form is found, under any name. */
export const forms: readonly Form[] = [
  { name: 'alone in a line', make: (value) => `first line\n${value}\nlast line\n` },
  { name: 'JSON', make: (value) => JSON.stringify({ region: 'eu', k: value, n: 1 }, null, 2) },
  { name: 'JSON in JSON', make: (value) => JSON.stringify({ body: JSON.stringify({ k: value }) }) },
  { name: 'YAML', make: (value) => `service:\n  value: ${value}\n  port: 80\n` },
  { name: '.env', make: (value) => `DEBUG=1\nSERVICE_VALUE=${value}\nPORT=80\n` },
  { name: 'shell export', make: (value) => `export VALUE='${value}'\nmake all\n` },
  { name: 'URL query', make: (value) => `GET /v1/items?v=${value}&page=2 HTTP/1.1\n` },
  { name: 'Python', make: (value) => `client = Client("${value}", timeout=3)\n` },
  { name: 'JavaScript', make: (value) => `const client = create('${value}') // eu\n` },
  {
    name: 'HTTP header',
    make: (value) => `Host: a.example\r\nX-Custom: ${value}\r\nAccept: */*\r\n`,
  },
  { name: 'CRLF', make: (value) => `one\r\n${value}\r\ntwo\r\n` },
  { name: 'added line of a diff', make: (value) => `@@ -1 +1 @@\n+${value}\n context\n` },
  { name: 'removed line of a diff', make: (value) => `@@ -1 +1 @@\n-${value}\n context\n` },
  {
    name: 'log line',
    make: (value) => `2026-03-01T10:11:12.345Z INFO [http] sent ${value} to upstream\n`,
  },
  { name: 'escaped line end', make: (value) => `{"text":"a\\n${value}\\nb"}` },
  { name: 'HTML in JSON of Go', make: (value) => `{"text":"\\u003e${value}\\u003c/b"}` },
  { name: 'coloured, in JSON', make: (value) => `{"log":"\\u001b[32m${value}\\u001b[0m"}` },
  { name: 'table cell', make: (value) => `| name | ${value} | yes |\n` },
]
