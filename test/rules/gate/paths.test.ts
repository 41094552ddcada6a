import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toUploadName } from '../../../src/domain/upload-name.ts'
import { createFileAccess } from '../../../src/executor/files/file-access.ts'
import { evaluateCall } from '../../../src/rules/gate/gate.ts'
import { declaredPaths, denyGlobs, listingsOf } from '../../../src/rules/gate/paths/judged-paths.ts'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import { parsePermissions } from '../../../src/rules/gate/permissions/parse-permissions.ts'
import { putFileTool } from '../../../src/rules/tools/put-file.ts'
import { pathPatternProblem } from '../../../src/shared/glob/path-glob.ts'
import { factsOf, judgeWith, specOf, workspace } from './support/judge-with.ts'

const env = { '*': 'allow', read: { '*': 'allow', '*.env': 'deny' } }

describe('paths of file tools', () => {
  test.each([
    '.env',
    './.env',
    '.ENV',
    './/.env',
    'a/../.env',
    'a/b/../../.env',
    'sub/dir/.env',
    'prod.env',
    '~/.env',
    '/workspace/.env',
    '/workspace/../workspace/.env',
    '.env/',
    '.Env/.',
  ])('GATE-07 %j is denied by *.env', (path) => {
    expect(judgeWith('read', { path }, { permissions: env }).action).toBe('deny')
    expect(judgeWith('read', { file_path: path }, { permissions: env }).action).toBe('deny')
  })

  test('GATE-07 THREAT-1 a link to .env is denied by what the executor found it to be', () => {
    const judged = judgeWith('read', { path: 'notes.txt' }, { permissions: env })
    expect(judged.action).toBe('allow')
    const canonical = [`${workspace}/.env`]
    expect(judgeWith('read', { path: 'notes.txt' }, { permissions: env, canonical }).action).toBe(
      'deny',
    )
  })

  test('GATE-07 what an allow rule named must be true of the canonical path too', () => {
    const permissions = { read: { 'docs/*': 'allow' } }
    expect(judgeWith('read', { path: 'docs/a' }, { permissions }).action).toBe('allow')
    const canonical = [`${workspace}/src/a`]
    expect(judgeWith('read', { path: 'docs/a' }, { permissions, canonical }).action).toBe('ask')
    const outside = ['/etc/passwd']
    expect(judgeWith('read', { path: 'docs/a' }, { permissions, canonical: outside }).action).toBe(
      'deny',
    )
  })

  test.each([
    ['src/../.git/config', 'ask'],
    ['src/a', 'allow'],
    ['./src/a', 'allow'],
    ['/workspace/src/a', 'allow'],
    ['src', 'ask'],
    ['SRC/a', 'ask'],
    ['x/src/a', 'ask'],
  ] as const)('GATE-07 write %j under src/* is %s', (path, action) => {
    expect(
      judgeWith('write', { path }, { permissions: { write: { 'src/*': 'allow' } } }).action,
    ).toBe(action)
  })

  test.each([
    ['src', 'src/a/b', true],
    ['src', 'src', true],
    ['src', 'srcx', false],
    ['**/x.ts', 'a/x.ts', true],
    ['/workspace/src/**', 'src/a', true],
    ['./src/*', 'src/a', true],
    ['src/{a,b}.ts', 'src/b.ts', true],
  ])('GATE-08 the pattern %j allows %j: %s', (pattern, path, allows) => {
    const permissions = { write: { [pattern]: 'allow' } }
    expect(judgeWith('write', { path }, { permissions }).action).toBe(allows ? 'allow' : 'ask')
  })

  test.each([
    ['secrets', 'secrets/a/b'],
    ['secrets', 'pkg/secrets/a'],
    ['Secrets', 'secrets/a'],
    ['config/*.yml', 'config/x.YML'],
    ['/workspace/private', 'private/x'],
    ['~/private/*', 'private/x'],
  ])('GATE-07 the deny %j covers %j', (pattern, path) => {
    const permissions = { read: { '*': 'allow', [pattern]: 'deny' } }
    expect(judgeWith('read', { path }, { permissions }).action).toBe('deny')
  })

  test.each([
    ['read', { path: '/etc/passwd' }],
    ['read', { path: '../x' }],
    ['read', { path: '/workspace-evil/x' }],
    ['write', { path: '/tmp/x' }],
    ['edit', { path: 'a/../../x' }],
    ['list_directory', { path: '/' }],
    ['create_directory', { path: '/x' }],
    ['delete_path', { path: '/workspace/..' }],
    ['move_path', { source: 'a', destination: '/tmp/a' }],
    ['move_path', { source: '/tmp/a', destination: 'a' }],
    ['copy_path', { source: '/etc/passwd', destination: 'a' }],
    ['find_path', { path: '/etc', pattern: '*' }],
    ['find_path', { path: '.', pattern: '../*' }],
    ['grep', { pattern: 'x', path: '/etc' }],
    ['read', { path: 'a\0b' }],
    ['read', { path: 'a/'.repeat(3_000) }],
  ])('FILE-01 %s %j is refused by the check of paths', (tool, args) => {
    for (const permissions of [{ '*': 'allow' }, { '*': 'allow', bash: 'ask' }]) {
      const verdict = judgeWith(tool, args, { permissions })
      expect(verdict.action).toBe('deny')
      expect(verdict.trace).toContainEqual(
        expect.objectContaining({ check: 'paths', action: 'deny' }),
      )
    }
  })

  test('FILE-01 FILE-02 further places may be opened, some for reading alone', () => {
    const facts = {
      allowedPaths: ['/workspace', '/srv/data'],
      readablePaths: ['/etc/hostname', '/srv/ref/**'],
    }
    const permissions = { '*': 'allow', bash: 'ask' }
    const action = (tool: string, path: string): string =>
      judgeWith(tool, { path }, { facts, permissions }).action
    expect(action('write', '/srv/data/x')).toBe('allow')
    expect(action('read', '/etc/hostname')).toBe('allow')
    expect(action('write', '/etc/hostname')).toBe('deny')
    expect(action('read', '/srv/ref/a/b')).toBe('allow')
    expect(action('edit', '/srv/ref/a')).toBe('deny')
    expect(action('read', '/etc/hosts')).toBe('deny')
  })

  test('BASH-10 what starts programs is held to what commands may reach, not to the list of file tools', () => {
    const facts = { allowedPaths: ['/srv/files'], commandPaths: ['/srv/commands'] }
    const action = (tool: string, path: string): string =>
      judgeWith(tool, { path }, { facts, permissions: { '*': 'allow', bash: 'ask' } }).action
    expect(action('diagnostics', '/srv/commands/x')).toBe('allow')
    expect(action('diagnostics', '/srv/files/x')).toBe('deny')
    expect(action('read', '/srv/files/x')).toBe('allow')
    expect(action('read', '/srv/commands/x')).toBe('deny')
  })

  test('GATE-06 with several paths the strictest verdict counts', () => {
    const permissions = { move_path: { '*': 'allow', 'keep/*': 'ask', 'never/*': 'deny' } }
    const action = (source: string, destination: string): string =>
      judgeWith('move_path', { source, destination }, { permissions }).action
    expect(action('a', 'b')).toBe('allow')
    expect(action('a', 'keep/b')).toBe('ask')
    expect(action('never/a', 'keep/b')).toBe('deny')
  })

  test('GATE-07 what may not be read is not searched or copied either', () => {
    expect(judgeWith('grep', { pattern: 'x', path: '.env' }, { permissions: env }).action).toBe(
      'deny',
    )
    expect(
      judgeWith('copy_path', { source: '.env', destination: 'x' }, { permissions: env }).action,
    ).toBe('deny')
    expect(judgeWith('grep', { pattern: 'x' }, { permissions: env }).action).toBe('allow')
  })

  test('GATE-06 find_path is matched by its pattern too', () => {
    const permissions = { find_path: { '*': 'allow', '*.env': 'deny' } }
    expect(judgeWith('find_path', { path: '.', pattern: '*.ts' }, { permissions }).action).toBe(
      'allow',
    )
    expect(judgeWith('find_path', { path: '.', pattern: '**/.env' }, { permissions }).action).toBe(
      'deny',
    )
  })

  test('THREAT-23 an invisible character in a path asks', () => {
    const permissions = { read: 'allow' }
    expect(judgeWith('read', { path: 'a\u200Bb' }, { permissions }).action).toBe('ask')
  })

  test('APPR-23 Always offers the exact path', () => {
    const offered = judgeWith('write', { path: './src/../a*.ts' }).alwaysPatterns
    expect(offered).toEqual(['a\\*.ts'])
    const session = offered.map((pattern) => ({ tool: 'write', pattern }))
    expect(judgeWith('write', { path: 'a*.ts' }, { session }).action).toBe('allow')
    expect(judgeWith('write', { path: 'ab.ts' }, { session }).action).toBe('ask')
    const move = judgeWith('move_path', { source: 'a', destination: 'b' })
    expect(move.alwaysPatterns).toEqual(['a', 'b'])
  })

  test('APPR-23 a tool without values is granted with exactly these arguments', () => {
    const { alwaysPatterns } = judgeWith('server_tool', { b: '*', a: 1 })
    expect(alwaysPatterns).toEqual(['{"a":1,"b":"\\*"}'])
    const session = [{ tool: 'server_tool', pattern: '{"a":1,"b":"\\*"}' }]
    expect(judgeWith('server_tool', { a: 1, b: '*' }, { session }).action).toBe('allow')
    expect(judgeWith('server_tool', { a: 2, b: '*' }, { session }).action).toBe('ask')
    expect(
      judgeWith('server_tool', {}, { permissions: { server_tool: { '{}': 'deny' } } }).action,
    ).toBe('ask')
  })

  test('APPR-23 by its name alone only where the operator lists the tool, and nothing that has values of its own', () => {
    const facts = { alwaysByName: ['server_*', 'read', 'bash', 'fetch'] }
    expect(judgeWith('server_tool', { a: 1 }, { facts }).alwaysPatterns).toEqual(['*'])
    expect(judgeWith('other_tool', { a: 1 }, { facts }).alwaysPatterns).toEqual(['{"a":1}'])
    expect(judgeWith('read', { path: 'a.txt' }, { facts }).alwaysPatterns).toEqual(['a.txt'])
    expect(judgeWith('fetch', { url: 'https://example.org/x' }, { facts }).alwaysPatterns).toEqual([
      'example.org',
    ])
    const session = [{ tool: 'server_tool', pattern: '*' }]
    expect(judgeWith('server_tool', { a: 2 }, { session, facts }).action).toBe('allow')
    expect(judgeWith('server_other', { a: 2 }, { session, facts }).action).toBe('ask')
  })
})

describe('protected paths', () => {
  const facts = { protectedPaths: ['/workspace/.countersign', '/opt/countersign'] }
  const permissions = { '*': 'allow' }

  test.each([
    ['read', { path: '.countersign/key' }],
    ['read', { path: '.COUNTERSIGN/key' }],
    ['write', { path: 'x/../.countersign/permissions.jsonc' }],
    ['list_directory', { path: '.countersign' }],
    ['delete_path', { path: '.' }],
    ['move_path', { source: '/workspace', destination: 'b' }],
    ['copy_path', { source: '.countersign', destination: 'b' }],
    ['grep', { pattern: 'x', path: '.countersign' }],
    ['bash', { command: 'cat .countersign/key' }],
    ['bash', { command: 'cd .countersign && cat key' }],
    ['bash', { command: 'echo x > .countersign/permissions.jsonc' }],
    ['bash', { command: 'bash -c "cat .countersign/key"' }],
    ['bash', { command: 'cp --target-directory=/opt/countersign x' }],
  ])('GATE-12 THREAT-10 %s %j is denied above all layers', (tool, args) => {
    const session = [{ tool, pattern: '*' }]
    const verdict = judgeWith(tool, args, { permissions, facts, session })
    expect(verdict.action).toBe('deny')
    expect(verdict.trace).toContainEqual(
      expect.objectContaining({ check: 'protected', action: 'deny' }),
    )
  })

  test('GATE-12 the own workspace within the data directory is free, its neighbours are not', () => {
    const inside = {
      workspace: '/data/workspaces/a',
      protectedPaths: ['/data'],
      allowedPaths: ['/data'],
    }
    const action = (path: string): string =>
      judgeWith('read', { path }, { permissions, facts: inside }).action
    expect(action('x')).toBe('allow')
    expect(action('/data/workspaces/a/x')).toBe('allow')
    expect(action('/data/workspaces/b/x')).toBe('deny')
    expect(action('/data/keys')).toBe('deny')
    expect(action('../a/x')).toBe('allow')
  })
})

describe('what the signed job says of paths', () => {
  test('GATE-07 the judged paths are absolute in the box', () => {
    const paths = (tool: string, args: Record<string, unknown>): readonly string[] =>
      declaredPaths({ spec: specOf(tool), args }, { workspace })
    expect(paths('read', { path: '~/a/../b' })).toEqual(['/workspace/b'])
    expect(paths('move_path', { source: 'a', destination: '/x' })).toEqual(['/workspace/a', '/x'])
    expect(paths('grep', { pattern: 'x' })).toEqual(['/workspace'])
    expect(paths('bash', { command: 'ls' })).toEqual([])
    const call = { spec: specOf('read'), args: { path: 'a' }, canonical: ['/workspace/b'] }
    expect(declaredPaths(call, { workspace })).toEqual(['/workspace/a', '/workspace/b'])
  })

  test('GATE-07 the deny patterns of a tool, and of read where it looks through trees', () => {
    const facts = factsOf({
      permissions: { read: { '*.env': 'deny', keys: 'deny' }, grep: 'allow' },
    })
    const globs = ['*.env', 'keys']
    expect(denyGlobs(specOf('grep'), facts)).toEqual(globs)
    expect(denyGlobs(specOf('read'), facts)).toEqual(globs)
    expect(denyGlobs(specOf('write'), facts)).toEqual([])
    expect(denyGlobs(specOf('bash'), facts)).toEqual(globs)
  })

  test('SHELL-07 SHELL-12 the wildcards of a command that only the box can tell', () => {
    const permissions = { bash: 'allow', read: { '*': 'allow', '*secret*': 'deny' } }
    const facts = factsOf({ permissions })
    const leftOf = (command: string) => {
      const call = { spec: specOf('bash'), args: { command } }
      const texts = listingsOf(call, facts).map(({ directory, text }) => `${directory}: ${text}`)
      return { action: evaluateCall(call, facts).action, texts }
    }
    const { workspace } = facts
    const allowed = (...texts: readonly string[]) => ({ action: 'allow', texts })
    expect(leftOf('cat src/*.ts | wc -l; grep -n x src/*.ts; cat *.md')).toEqual(
      allowed(`${workspace}: printf '%s\\0' src/*.ts *.md`),
    )
    expect(leftOf('cd src && head -3 *.ts')).toEqual(
      allowed(`${workspace}/src: printf '%s\\0' *.ts`),
    )
    expect(leftOf('cat s*')).toEqual(allowed(`${workspace}: printf '%s\\0' s*`))
    // What runs first may put files in place that the box does not see when it looks.
    for (const first of ['git checkout x', 'tar -xf a.tar', 'npm run gen', 'mv a b', 'source x'])
      expect(leftOf(`${first} && cat src/*.ts`)).toEqual({ action: 'ask', texts: [] })
    expect(leftOf('cat src/*.ts | xargs touch')).toEqual({ action: 'ask', texts: [] })
    expect(leftOf('rm -f *.log; ls *.ts')).toMatchObject({ texts: [] })
    expect(listingsOf({ spec: specOf('grep'), args: { command: 'cat *.ts' } }, facts)).toEqual([])
  })
})

describe('a hidden file that a person sends', () => {
  const sent = (name: string) => `uploads/${toUploadName(name)}`
  const judgePut = (name: string, permissions: string | Readonly<Record<string, unknown>>) => {
    const args = { path: sent(name), bytes: 1, sha256: '0'.repeat(64) }
    return judgeWith(putFileTool.name, args, { permissions }).action
  }

  test.each(['.env', '.ENV', '.env.local', '..env', 'prod.env'])(
    'CHAT-07 THREAT-27 GATE-07 %j is neither put nor read where the rules are those of the product',
    (name) => {
      expect(judgePut(name, defaultPermissions)).toBe('deny')
      for (const tool of ['read', 'write', 'edit']) {
        const judged = judgeWith(tool, { path: sent(name) }, { permissions: defaultPermissions })
        expect(judged.action, tool).toBe('deny')
      }
    },
  )

  test.each([
    '**/.env*',
    '.env',
    '*/.env',
    'uploads/.env',
    '/workspace/uploads/.*',
    '{.env,.npmrc}',
  ])(
    'CHAT-07 THREAT-27 GATE-07 is denied by %j under its own name, whatever number it got',
    (pattern) => {
      const rules = { '*': 'allow', write: { '*': 'allow', [pattern]: 'deny' } }
      expect(judgePut('.env', rules)).toBe('deny')
      expect(judgePut('env', rules)).not.toBe('deny')
      const read = { '*': 'allow', read: { '*': 'allow', [pattern]: 'deny' } }
      for (const path of ['uploads/dot.env', './uploads/DOT-2.env', '/workspace/uploads/dot.env']) {
        expect(judgeWith('read', { path }, { permissions: read }).action, path).toBe('deny')
      }
      expect(
        judgeWith('bash', { command: 'cat uploads/dot.env' }, { permissions: read }),
      ).toMatchObject({ action: 'ask' })
      for (const path of ['dot.env', 'uploads/sub/dot.env', 'uploads/env', 'uploads/dotenv']) {
        expect(judgeWith('read', { path }, { permissions: read }).action, path).toBe('allow')
      }
    },
  )

  test('CHAT-07 GATE-07 is allowed by no rule for the name that it does not have', () => {
    const permissions = { '*': 'ask', read: { 'uploads/.env': 'allow' } }
    expect(judgeWith('read', { path: 'uploads/dot.env' }, { permissions }).action).toBe('ask')
  })
})

describe('a workspace whose name holds signs of patterns', () => {
  const odd = '/srv/[a](b){c,d}!(e)*'
  const permissions = {
    read: { '*': 'allow', 'config/key.json': 'deny', '~/own.txt': 'deny', '$HOME/*.pem': 'deny' },
  }

  test('GATE-07 THREAT-1 the patterns for the executor mean that very place', async () => {
    const facts = factsOf({ permissions, facts: { workspace: odd } })
    const access = await createFileAccess({
      workspace: odd,
      allowed: [],
      denyRead: [],
      allowRead: [],
      denyByRule: denyGlobs(specOf('grep'), facts),
      masked: [],
    })
    expect(access.mayTouch(`${odd}/config/key.json`)).toBe(false)
    expect(access.mayTouch(`${odd}/config/other.json`)).toBe(true)
  })

  test('GATE-04 the home in a pattern means that very place', () => {
    const parsed = parsePermissions(JSON.stringify(permissions), { home: odd })
    const judged = (path: string) =>
      judgeWith('read', { path }, { facts: { workspace: odd, worker: parsed } }).action
    expect(judged('own.txt')).toBe('deny')
    expect(judged('sub/a.pem')).toBe('deny')
    expect(judged('other.txt')).toBe('allow')
  })
})

describe('a rule that the gate and the box both read', () => {
  const accessOf = (denyByRule: readonly string[], at = workspace) =>
    createFileAccess({
      workspace: at,
      allowed: [],
      denyRead: [],
      allowRead: [],
      denyByRule,
      masked: [],
    })

  test('GATE-08 THREAT-34 `(prod|stage).key` is denied by both', async () => {
    const permissions = { '*': 'allow', read: { '*': 'allow', '(prod|stage).key': 'deny' } }
    expect(judgeWith('read', { path: 'prod.key' }, { permissions }).action).toBe('deny')
    const access = await accessOf(denyGlobs(specOf('read'), factsOf({ permissions })))
    expect(access.mayTouch(`${workspace}/prod.key`)).toBe(false)
    expect(access.mayTouch(`${workspace}/(prod|stage).key`)).toBe(true)
  })

  test.each([
    ['read', 'app/(admin)/page', 'write "\\(" and "\\)"'],
    ['*', '(x)', 'matched against paths too'],
    ['re*', 'a|b', 'separates nothing'],
    ['read_file', '[[:x:]]', 'not a class'],
  ])(
    'GATE-09 for %s the pattern %j, which may be meant in two ways, makes all ask',
    (tool, pattern, why) => {
      const permissions = `{\n  "*": "allow",\n  "${tool}": { ${JSON.stringify(pattern)}: "deny" } }`
      const judged = judgeWith('read', { path: 'src/a' }, { permissions })
      expect(judged.action).toBe('ask')
      expect(JSON.stringify(judged.reasons)).toContain('line 3')
      expect(parsePermissions(permissions, { home: workspace })).toMatchObject({
        problems: [{ line: 3, message: expect.stringContaining(why) }],
      })
    },
  )

  const piece = fc.constantFrom(
    ...['a', 'B', 'b.ts', '.env', '*', '**', '?', '[ab]', '[!A-Z]', '{a,sub/b}', '(a|b)', '+(a|B)'],
    ...[
      '@(a|sub/b)',
      'é',
      'e\u0301',
      '\\(a\\)',
      '{1..3}',
      '[[:upper:]]',
      'dot.env',
      'uploads',
      '*a*',
    ],
  )
  const pattern = fc
    .tuple(
      fc.constantFrom('', '/', './', '**/', `${workspace}/`),
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/', '/**'),
    )
    .map(([start, pieces, end]) => `${start}${pieces.join('/')}${end}`)
    .filter((text) => pathPatternProblem(text) === undefined && !/^\*+$/.test(text))
  const name = fc.constantFrom(
    ...['a', 'A', 'b', 'sub', 'b.ts', '.env', '.ENV', 'é', 'É', '(a)', '2', 'uploads', 'dot.env'],
  )
  const path = fc
    .tuple(
      fc.constantFrom(workspace, workspace, '/etc', ''),
      fc.array(name, { minLength: 1, maxLength: 4 }),
    )
    .map(([start, names]) => `${start}/${names.join('/')}`)

  test('GATE-08 THREAT-34 both say the same of every pattern and path', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(pattern, { minLength: 1, maxLength: 3 }),
        path,
        async (patterns, at) => {
          const read = Object.fromEntries(patterns.map((text) => [text, 'deny']))
          const permissions = { '*': 'allow', read: { '*': 'allow', ...read } }
          const facts = { allowedPaths: ['/'] }
          const judged = judgeWith('read', { path: at }, { permissions, facts }).action
          const access = await accessOf(denyGlobs(specOf('read'), factsOf({ permissions })))
          expect([patterns, at, access.mayTouch(at)]).toEqual([patterns, at, judged !== 'deny'])
        },
      ),
      { numRuns: 1500 },
    )
  })
})

describe('web tools and skills', () => {
  const fetched = (url: string, permissions: Record<string, unknown>): string =>
    judgeWith('fetch', { url }, { permissions }).action

  test('WEB-02 what will be refused is not asked about', () => {
    expect(fetched('https://169.254.169.254/', { '*': 'ask' })).toBe('deny')
    expect(fetched('http://example.com/', { '*': 'allow' })).toBe('deny')
    const facts = { web: { allowedDomains: ['example.org'], deniedDomains: [], allowedPorts: [] } }
    expect(judgeWith('web_scrape', { url: 'https://example.com/' }, { facts }).action).toBe('deny')
  })

  test.each([
    ['example.com', 'https://example.com/a', 'allow'],
    ['*.example.com', 'https://a.example.com/', 'allow'],
    ['*.example.com', 'https://evil.org/?x=.example.com', 'ask'],
    ['https://example.com/docs/*', 'https://example.com/docs/a', 'allow'],
    ['https://example.com/docs/*', 'https://example.com/docs/../admin', 'ask'],
    ['https://*.example.com/*', 'https://evil.org/.example.com/x', 'ask'],
    ['https://*.example.com/*', 'https://evil.org?.example.com/x', 'ask'],
    ['https://*.example.com/*', 'https://a.example.com/x', 'allow'],
  ])('GATE-06 the rule %j on %s is %s', (pattern, url, action) => {
    expect(fetched(url, { fetch: { [pattern]: 'allow' } })).toBe(action)
  })

  test('GATE-06 a deny is tried on the URL and the host', () => {
    expect(
      fetched('https://EVIL.example/x', { fetch: { '*': 'allow', 'evil.example': 'deny' } }),
    ).toBe('deny')
    expect(
      fetched('https://a.example/x?token=1', { fetch: { '*': 'allow', '*token=*': 'deny' } }),
    ).toBe('deny')
  })

  test('APPR-23 Always offers the host', () => {
    expect(judgeWith('fetch', { url: 'https://Example.com/a?b' }).alwaysPatterns).toEqual([
      'example.com',
    ])
  })

  test('GATE-06 a skill is matched by its name', () => {
    const permissions = { skill: { 'deploy-*': 'allow' } }
    expect(judgeWith('skill', { name: 'deploy-web' }, { permissions }).action).toBe('allow')
    expect(judgeWith('skill', { name: 'other' }, { permissions }).action).toBe('ask')
  })
})
