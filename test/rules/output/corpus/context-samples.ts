import { alnum, base64, digits, hex, lowerDigits, RandomText, word } from './random-text.ts'

/** A credential that only its context identifies; `secret` must not remain in the text. */
export interface ContextSample {
  readonly family: string
  readonly name: string
  readonly text: string
  readonly secret: string
}

const encoded = (text: string) => Buffer.from(text).toString('base64')

/** Creates samples; different ones for each seed. */
export function contextSamples(seed: number): readonly ContextSample[] {
  const random = new RandomText(seed)
  const r = (alphabet: string, length: number) => random.of(alphabet, length)
  const password = () => `${r(alnum, 5)}-${r(alnum, 6)}7q`
  return [
    ...family('assignments', () => r(alnum, 32), [
      ['.env', (s) => `DB_PASSWORD=${s}\n`],
      ['.env quoted', (s) => `JWT_SECRET="${s}"\n`],
      ['export', (s) => `export API_TOKEN=${s}\n`],
      ['dockerfile', (s) => `ENV SECRET_KEY_BASE=${s}\n`],
      ['added line', (s) => `+APP_SECRET=${s}\n`],
      ['removed line', (s) => `-APP_SECRET=${s}\n`],
      ['YAML', (s) => `  client_secret: ${s}\n`],
      ['YAML quoted', (s) => `  api-key: '${s}'\n`],
      ['JSON', (s) => `{"accessToken": "${s}", "n": 1}`],
      ['compact JSON', (s) => `{"apiKey":"${s}"}`],
      ['JSON in JSON', (s) => JSON.stringify({ body: JSON.stringify({ access_token: s }) })],
      ['TOML', (s) => `auth_token = "${s}"\n`],
      ['INI', (s) => `[db]\r\npassword = ${s}\r\n`],
      ['properties', (s) => `spring.datasource.password=${s}\n`],
      ['Python', (s) => `SECRET_KEY = '${s}'\n`],
      ['Python dictionary', (s) => `config["api_token"] = "${s}"\n`],
      ['JavaScript', (s) => `const apiSecret = '${s}';\n`],
      ['TypeScript', (s) => `const token: string = '${s}'\n`],
      ['Go', (s) => `apiToken := "${s}"\n`],
      ['Ruby', (s) => `  :secret_key => "${s}",\n`],
      ['PHP', (s) => `define('AUTH_KEY', '${s}');\n`],
      ['Java setter', (s) => `config.setPassword("${s}");\n`],
      ['C#', (s) => `var clientSecret = "${s}";\n`],
      ['Terraform', (s) => `  secret_key  = "${s}"\n`],
      ['XML element', (s) => `<apiToken>${s}</apiToken>`],
      ['XML attribute', (s) => `<add key="ApiKey" value="${s}" />`],
      ['Kubernetes variable', (s) => `- name: DB_PASSWORD\n  value: "${s}"\n`],
      ['environment in JSON', (s) => `{"name":"API_TOKEN","value":"${s}"}`],
      ['command option', (s) => `mytool login --token ${s} --region eu\n`],
      ['command option with =', (s) => `mytool --api-key=${s}\n`],
      ['URL query', (s) => `GET /cb?access_token=${s}&state=1 HTTP/1.1\n`],
      ['encoded URL', (s) => `next=%2Fcb%3Faccess_token%3D${s}%26a\n`],
      ['log line', (s) => `2026-03-01T10:11:12Z DEBUG auth_token=${s} user=7\n`],
      ['logfmt', (s) => `level=info msg=x client_secret=${s} ms=3\n`],
      ['header', (s) => `X-Api-Key: ${s}\r\nAccept: */*\r\n`],
      ['GitLab header', (s) => `Private-Token: ${s}\r\n`],
      ['AWS', (s) => `aws_secret_access_key = ${s}\n`],
      ['Azure', (s) => `ACCOUNT_KEY: ${s}\n`],
      ['signing', (s) => `webhook_signing_key=${s}\n`],
      ['encryption', (s) => `ENCRYPTION_KEY=${s}\n`],
      ['npmrc', (s) => `//registry.example/:_authToken=${s}\n`],
    ]),
    ...family('values below their name', () => `${r(alnum, 14)}7q`, [
      ['XML', (s) => `<settings>\n  <netlifyApiKey>\n    ${s}\n  </netlifyApiKey>\n</settings>\n`],
      ['XML, closed below', (s) => `<apiToken>${s}\n</apiToken>\n`],
      ['YAML', (s) => `db:\n  password:\n    ${s}\n  port: 5432\n`],
      ['YAML quoted', (s) => `api_key:\n  "${s}"\n`],
      ['YAML block', (s) => `client_secret: |\n  ${s}\nregion: eu\n`],
      ['YAML folded block', (s) => `auth_token: >-\n    ${s}\n`],
      ['JSON', (s) => `{\n  "accessToken":\n    "${s}",\n  "n": 1\n}\n`],
      ['a prompt', (s) => `Password:\n${s}\nWelcome\n`],
      ['CRLF', (s) => `password:\r\n  ${s}\r\nport: 1\r\n`],
      ['here-document', (s) => `API_TOKEN=$(cat <<'EOF'\n${s}\nEOF\n)\n`],
      ['here-document of read', (s) => `read -r DB_PASSWORD <<EOF\n${s}\nEOF\n`],
      ['an option that goes on', (s) => `mytool login --token \\\n  ${s} \\\n  --region eu\n`],
      ['Python in brackets', (s) => `API_SECRET = (\n    "${s}"\n)\n`],
      ['environment', (s) => `- name: API_TOKEN\n\n  value: ${s}\n`],
    ]),
    ...family('hashes as keys', () => r(hex, 40), [
      ['GitHub, old', (s) => `GITHUB_TOKEN=${s}\n`],
      ['Datadog', (s) => `DATADOG_APP_KEY=${s}\n`],
      ['Weights & Biases', (s) => `WANDB_API_KEY=${s}\n`],
      ['Sentry', (s) => `sentry_auth_token: ${s}\n`],
      ['client secret', (s) => `client_secret="${s}"\n`],
      ['password', (s) => `password: ${s}\n`],
    ]),
    ...family('UUIDs as keys', () => random.uuid(), [
      ['Heroku', (s) => `HEROKU_API_KEY=${s}\n`],
      ['Snyk', (s) => `SNYK_TOKEN=${s}\n`],
      ['Postmark', (s) => `POSTMARK_SERVER_TOKEN: "${s}"\n`],
      ['Splunk HEC', (s) => `splunk_hec_token=${s}\n`],
      ['Authorization: Splunk', (s) => `Authorization: Splunk ${s}\r\n`],
      ['npm, old', (s) => `//registry.npmjs.org/:_authToken=${s}\n`],
    ]),
    ...family('short passwords', password, [
      ['.env', (s) => `POSTGRES_PASSWORD=${s}\n`],
      ['YAML', (s) => `password: ${s}\n`],
      ['JSON', (s) => `"passwd": "${s}"`],
      ['connection string', (s) => `Server=db;User Id=app;Password=${s};Encrypt=true`],
      ['JDBC', (s) => `jdbc:mysql://db/app?user=app&password=${s}`],
      ['option', (s) => `--password ${s}`],
      ['MySQL', (s) => `mysql -h db -u root -p${s} app\n`],
      ['sshpass', (s) => `sshpass -p '${s}' ssh host\n`],
      ['docker login', (s) => `docker login -u me -p ${s} registry.example\n`],
      ['passphrase', (s) => `passphrase = "${s}"\n`],
    ]),
    ...family('connection strings', password, [
      ['PostgreSQL', (s) => `postgres://app:${s}@db.internal:5432/app?sslmode=require`],
      ['MySQL', (s) => `DATABASE_URL=mysql://root:${s}@127.0.0.1/app`],
      ['MongoDB', (s) => `mongodb+srv://app:${s}@cluster0.abcde.mongodb.net/db`],
      ['Redis', (s) => `redis://:${s}@cache:6379/0`],
      ['AMQP', (s) => `"amqp": "amqps://user:${s}@mq/vhost"`],
      ['SMTP', (s) => `smtp://mailer%40a.example:${s}@smtp.example:587`],
      ['basic auth', (s) => `curl https://admin:${s}@intranet.example/x`],
      ['git remote', (s) => `origin\thttps://oauth2:${s}@git.example/a/b.git (fetch)`],
      ['proxy', (s) => `HTTPS_PROXY=http://user:${s}@proxy:3128`],
      ['SQLAlchemy', (s) => `engine = create_engine("postgresql+psycopg2://u:${s}@h/d")`],
    ]),
    ...family('requests', () => r(base64, 44), [
      ['Basic', (s) => `Authorization: Basic ${s}\r\nHost: a\r\n`],
      ['basic in JSON', (s) => `{"Authorization":"Basic ${s}"}`],
      ['curl header', (s) => `curl -H "Authorization: token ${s}" https://a.example\n`],
      [
        'Okta',
        (s) => `-H 'Authorization: SSWS ${s.replaceAll(/[+/]/g, '_')}'`,
        (s) => s.replaceAll(/[+/]/g, '_'),
      ],
      ['proxy', (s) => `Proxy-Authorization: Basic ${s}\r\n`],
      ['Bearer', (s) => `Authorization: Bearer ${s}7\r\n`],
      ['lower case bearer', (s) => `authorization: bearer ${s}7\n`],
      ['Bearer in code', (s) => `headers = {"Authorization": "Bearer ${s}7"}\n`],
      ['GenieKey', (s) => `Authorization: GenieKey ${s}\r\n`],
      ['cookie', (s) => `Cookie: sessionid=${s}; theme=dark\r\n`],
      ['set-cookie', (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly\r\n`],
      ['curl -u', (s) => `curl -s -u admin:${s} https://a.example/\n`],
    ]),
    ...family('signed URLs and webhooks', () => r(hex, 64), [
      ['AWS', (s) => `https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=${s}&a=1`],
      ['Google', (s) => `https://storage.googleapis.com/b/o?X-Goog-Signature=${s}`],
      ['Azure SAS', (s) => `https://a.blob.core.windows.net/c/b?sv=2024-01-01&sig=${s}&se=1`],
      [
        'Slack',
        (s) =>
          `https://hooks.slack.com/services/T${s.slice(0, 9)}/B${s.slice(0, 9)}/${s.slice(10, 34)}`,
        (s) => s.slice(10, 34),
      ],
      ['Discord', (s) => `https://discord.com/api/webhooks/123456789012345678/${s}AB-_`],
      [
        'Sentry DSN',
        (s) => `https://${s.slice(0, 32)}@o1.ingest.sentry.io/42`,
        (s) => s.slice(0, 32),
      ],
      ['token as user', (s) => `git clone https://${s}@git.example/a/b.git`],
      [
        'Telegram file',
        (s) => `https://api.telegram.org/file/bot12345678:AA${s.slice(0, 32)}X/photos/1.jpg`,
        (s) => s.slice(0, 32),
      ],
    ]),
    ...family('files of credentials', () => r(alnum, 20), [
      ['netrc', (s) => `machine api.example login me password ${s}\n`],
      ['netrc in lines', (s) => `machine api.example\n  login me\n  password ${s}\n`],
      ['pgpass', (s) => `db.internal:5432:app:app_user:${s}\n`],
      ['pgpass with any port', (s) => `localhost:*:*:postgres:${s}\n`],
      ['git credentials', (s) => `https://me:${s}@github.com\n`],
      [
        'docker config',
        (s) => `{"auths":{"r.example":{"auth":"${encoded(`me:${s}`)}"}}}`,
        (s) => encoded(`me:${s}`),
      ],
      [
        'npmrc',
        (s) => `_auth=${encoded(`me:${s}`)}\n`,
        (s) => encoded(`me:${s}`).replace(/=+$/, ''),
      ],
      ['my.cnf', (s) => `[client]\nuser=root\npassword=${s}\n`],
      [
        'shadow, SHA-512',
        (s) => `root:$6$${s.slice(0, 16)}$${s.repeat(5).slice(0, 86)}:19000:0:99999:7:::`,
        (s) => s.repeat(4),
      ],
      [
        'shadow, yescrypt',
        (s) => `me:$y$j9T$${s}$${s.repeat(3).slice(0, 43)}:19000:0:99999:7:::`,
        (s) => s.repeat(2),
      ],
      ['htpasswd', (s) => `me:$apr1$${s.slice(0, 8)}$${s.slice(0, 20)}ab\n`, (s) => s],
      ['bcrypt', (s) => `hash: $2b$12$${s.repeat(3).slice(0, 53)}\n`, (s) => s.repeat(2)],
      ['argon2', (s) => `$argon2id$v=19$m=65536,t=3,p=4$${s}$${s}${s}`, (s) => s.repeat(2)],
      [
        'kubeconfig',
        (s) => `    client-key-data: ${encoded(s.repeat(6))}\n`,
        (s) => encoded(s.repeat(6)).slice(0, 80),
      ],
      ['WireGuard', (s) => `[Interface]\nPrivateKey = ${s}${s}abc=\n`, (s) => s.repeat(2)],
    ]),
    ...family('private keys', () => r(base64, 64), [
      ...['RSA ', '', 'EC ', 'OPENSSH ', 'ENCRYPTED ', 'DSA '].map(
        (kind) => [`${kind}PEM`, (s: string) => pem(kind, `${s}\n${s}`)] as const,
      ),
      ['PGP', (s) => pem('PGP ', `Version: 1\n\n${s}\n${s}\n=aBcD`, ' BLOCK')],
      ['PEM in JSON', (s) => JSON.stringify({ private_key: pem('', `${s}\n${s}`) })],
      ['PEM in a diff', (s) => pem('RSA ', `${s}\n${s}`).replaceAll(/^/gm, '+')],
      ['PEM in a YAML block', (s) => `key: |\n${pem('', s).replaceAll(/^/gm, '    ')}\n`],
      ['PEM with CRLF', (s) => pem('RSA ', `${s}\n${s}`).replaceAll('\n', '\r\n')],
      ['PEM, cut off', (s) => pem('RSA ', `${s}\n${s}`).split('\n').slice(0, 3).join('\n')],
      ['PEM with line numbers', (s) => pem('RSA ', `${s}\n${s}`).replaceAll(/^/gm, '   12\t')],
      [
        'SSH2',
        (s) =>
          `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${s}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
      ],
      [
        'PuTTY',
        (s) =>
          `Encryption: none\nPublic-Lines: 1\n${'A'.repeat(20)}\nPrivate-Lines: 2\n${s}\n${s}\nPrivate-MAC: ${r(hex, 64)}\n`,
      ],
      [
        'JWK',
        (s) => `{"kty":"EC","crv":"P-256","d":"${s.replaceAll(/[+/]/g, '_')}","x":"a"}`,
        (s) => s.replaceAll(/[+/]/g, '_'),
      ],
      ['XML', (s) => `<RSAKeyValue><D>${s}</D></RSAKeyValue>`],
    ]),
    ...family('Kubernetes', () => encoded(r(alnum, 24)), [
      [
        'data',
        (s) =>
          `apiVersion: v1\ndata:\n  config.yaml: ${s}\n  other: ${s}\nkind: Secret\nmetadata:\n  name: a\n`,
      ],
      [
        'data after kind',
        (s) => `apiVersion: v1\nkind: Secret\ntype: Opaque\ndata:\n  thing: ${s}\n`,
      ],
      ['stringData', (s) => `apiVersion: v1\nkind: Secret\nstringData:\n  thing: "${s}"\n`],
      [
        'in a list',
        (s) =>
          `items:\n- apiVersion: v1\n  data:\n    thing: ${s}\n  kind: Secret\n- apiVersion: v1\n  kind: Pod\n`,
      ],
      [
        'as JSON',
        (s) => JSON.stringify({ apiVersion: 'v1', data: { thing: s }, kind: 'Secret' }, null, 4),
      ],
      ['by name', (s) => `  password: ${s}\n`],
    ]),
    ...family('known to be hard', () => r(alnum, 28), [
      ['no name and no form', (s) => `${s}\n`],
      ['hexadecimal without a name', () => `${r(hex, 64)}\n`, undefined],
      [
        'words as a passphrase',
        () => `passphrase: "correct horse battery staple"\n`,
        () => 'horse battery',
      ],
      ['a password without digits', () => `password: swordfishes\n`, () => 'swordfishes'],
      ['digits alone', () => `PIN_TOKEN=${digits}${digits}\n`, () => digits],
      [
        'split in two lines',
        (s) => `API_TOKEN=${s.slice(0, 9)}\\\n${s.slice(9)}\n`,
        (s) => s.slice(9),
      ],
      [
        'base64 of a token',
        (s) => `blob: ${encoded(`ghp_${s}12345678`)}\n`,
        (s) => encoded(`ghp_${s}`).slice(0, 24),
      ],
      [
        'reversed',
        (s) => `${[...`ghp_${s}12345678`].reverse().join('')}\n`,
        (s) => [...s].reverse().join(''),
      ],
      ['spoken of', (s) => `the key is ${s}\n`],
      ['a short one', () => `password: tiger\n`, () => 'tiger'],
      ['lower case and digits in a UUID', () => `key: ${random.uuid()}\n`, undefined],
      ['bare word token', () => `token ${r(lowerDigits, 20)}\n`, undefined],
      ['an opaque cookie value', () => `session ${r(word, 40)}\n`, undefined],
    ]),
  ]
}

type Row = readonly [
  name: string,
  make: (secret: string) => string,
  hidden?: ((secret: string) => string) | undefined,
]

function family(
  name: string,
  secret: () => string,
  rows: readonly Row[],
): readonly ContextSample[] {
  return rows.map(([row, make, hidden]) => {
    const value = secret()
    const text = make(value)
    const isOwn = text.includes(value)
    const guess = isOwn ? value : (/[\w-]{20,}/.exec(text)?.[0] ?? '')
    return { family: name, name: row, text, secret: hidden?.(value) ?? guess }
  })
}

function pem(kind: string, body: string, block = ''): string {
  const marker = (word: string) => `-----${word} ${kind}PRIVATE KEY${block}-----`
  return `${marker('BEGIN')}\n${body}\n${marker('END')}`
}
