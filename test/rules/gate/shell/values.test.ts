// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of other languages.
import fc from 'fast-check'
import { parse, type Word } from 'unbash'
import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../../../src/rules/gate/shell/analyse-command.ts'
import { writesSecond } from '../../../../src/rules/gate/shell/programs/second-file.ts'
import { onlyEdits } from '../../../../src/rules/gate/shell/programs/sed-program.ts'
import { arithmeticAt } from '../../../../src/rules/gate/shell/words/arithmetic-value.ts'
import { braceWords } from '../../../../src/rules/gate/shell/words/command-words.ts'
import { documentAt } from '../../../../src/rules/gate/shell/words/here-document.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
import { judgeBash } from '../support/judge-with.ts'

const open = { bash: 'allow', read: 'allow', write: { '*': 'allow', 'kept/*': 'deny' } }
const verdictOf = (command: string) => judgeBash(command, { permissions: open })

describe('sums of literal numbers', () => {
  test.each([
    ['$((1+2))', '3'],
    ['$(( 60 * 60 * 24 ))', '86400'],
    ['$(((1 + 2) * 3 - 4))', '5'],
    ['$((7/2))', '3'],
    ['$((7 % 4))', '3'],
  ])('SHELL-12 %s is %s', (text, value) => {
    expect(arithmeticAt(text, 0)).toEqual({ value, end: text.length })
    expect(verdictOf(`head -n ${text} x`).patterns).toEqual([`head -n ${value} x`])
  })

  test.each(['$((x))', '$((010))', '$((1/0))', '$((1+))', '$((2**3))', '$((1)(2))', '$((1 + (2))'])(
    'SHELL-12 %s is no number',
    (text) => {
      expect(arithmeticAt(text, 0)).toBeUndefined()
      expect(verdictOf(`echo ${text}`).action).toBe('ask')
    },
  )

  test('SHELL-12 every sum is what JavaScript makes of it', () => {
    const number = fc.nat({ max: 999 })
    const sign = fc.constantFrom('+', '-', '*')
    fc.assert(
      fc.property(number, sign, number, sign, number, (a, one, b, other, c) => {
        const body = `${a} ${one} (${b} ${other} ${c})`
        const value = calculated(one, a, calculated(other, b, c))
        expect(arithmeticAt(`$((${body}))`, 0)?.value).toBe(`${value}`)
      }),
    )
  })
})

function calculated(sign: string, one: number, other: number): number {
  if (sign === '*') return one * other
  return sign === '+' ? one + other : one - other
}

describe('lists in braces', () => {
  const wordsOf = (text: string) => {
    const command = parse(`x ${text}`).commands[0]?.command
    const word = command?.type === 'Command' ? command.args[0] : undefined
    return braceWords(word as Word)
  }

  test.each([
    ['src/{a,b}', ['src/a', 'src/b']],
    ['a{b,}', ['ab', 'a']],
    ['v{1..3}', ['v1', 'v2', 'v3']],
    ['{1..3}', ['1', '2', '3']],
    ['--exclude={a,b}/{c,d}', ['--exclude=a/c', '--exclude=a/d', '--exclude=b/c', '--exclude=b/d']],
  ])('SHELL-12 %s is %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test.each([
    '{a,b}',
    'a{b}',
    'a{b,{c,d}}',
    'a{b,"c"}',
    'a{b,$c}',
    'a{b,c*}',
    'a{3..1}',
    'a{1..99999}',
  ])('SHELL-03 %s is not known', (text) => {
    expect(wordsOf(text)).toBeUndefined()
  })

  test('SHELL-07 each of its words is looked at', () => {
    expect(verdictOf('mkdir -p src/{a,b}').patterns).toEqual(['mkdir -p src/a src/b'])
    expect(verdictOf('cp x src/{a,../.npmrc}').action).toBe('ask')
    expect(verdictOf('cp x a{b,/../../c}').action).toBe('ask')
    const denied = { bash: { '*': 'allow', 'git push --force*': 'deny' } }
    expect(judgeBash('git push --f{orce,x} y', { permissions: denied }).action).toBe('deny')
  })
})

describe('here-documents', () => {
  const text = 'it\'s $(id) `id` "x" (a\n\n# $x\\\n{ EO\n'

  test('SHELL-12 one with a quoted delimiter is text for the command, whatever stands in it', () => {
    for (const sign of ["<<'EOF'", '<<"EOF"', "<< 'EOF'", "<<-'EOF'"])
      for (const program of ['git commit -F -', 'tee a.txt', 'wc -l'])
        expect(verdictOf(`${program} ${sign}\n${text.replace('\\\n', '\n')}EOF`).reasons).toEqual(
          [],
        )
  })

  test('SHELL-06 SHELL-12 into a file it is a write of that file', () => {
    expect(verdictOf(`cat > a.ts <<'EOF'\nx\nEOF`).reasons).toEqual([])
    expect(verdictOf(`cat <<'EOF' > kept/a\nx\nEOF`).action).toBe('deny')
    expect(verdictOf(`cat <<'EOF' > .npmrc\nx\nEOF`).risk).toBe('high')
  })

  test('SHELL-02 what stands behind it is looked at, and what stands in it is not', () => {
    const permissions = {
      bash: { 'cat *': 'allow', 'ls *': 'allow', 'rm *': 'deny' },
      write: 'allow',
    }
    expect(judgeBash("cat <<'E' && rm x\na\nE", { permissions }).action).toBe('deny')
    expect(judgeBash("cat <<'E'\na\nE\nrm x", { permissions }).action).toBe('deny')
    expect(judgeBash("cat <<'E'\nrm x\nE\nls", { permissions }).action).toBe('allow')
    expect(judgeBash("cat <<'E' | sh\nrm x\nE", { permissions }).action).toBe('deny')
  })

  test('SHELL-03 our own reading of its end', () => {
    expect(documentAt('a\nE\nb', 0, 'E', false)).toEqual({ body: 'a\n', pos: 0, end: 3 })
    expect(documentAt('a\n\tE', 0, 'E', true)?.body).toBe('a\n')
    for (const unclear of ['a\n E\nE', 'a\nE \nE', 'a', ''])
      expect(documentAt(unclear, 0, 'E', false)).toBeUndefined()
  })

  test('SHELL-03 its body never turns an ask into an allow, and never adds a command', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '`',
      '$(',
      ')',
      '\\',
      '\n',
      'id',
      ' ',
      'E',
      ' E',
      '<<E',
      '|',
      '#',
      '{',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const body = pieces.join('')
        const { action, patterns } = verdictOf(`cat <<'EOF'\n${body}\nEOF`)
        if (action === 'allow') expect(patterns).toEqual(['cat'])
        expect(verdictOf(`cat <<'EOF'; sh x\n${body}\nEOF`).action).toBe('ask')
      }),
      { numRuns: 400 },
    )
  })
})

test.each([
  "sed -E 's/a/b/' <<'E'\nx\nE",
  "awk -F, '{print $1}' <<'E'\nx\nE",
  "curl -d @- http://localhost:3000/x <<'E'\n{}\nE",
  "gh pr comment 3 -F - <<'E'\nx\nE",
  "cut -f 1 <<'E'\nx\nE",
  "echo '{}' | jq -r .a",
  "printf 'b\\na\\n' | sort -f | uniq -c",
  'echo a | python3 scripts/x.py',
  "cat <<'E' | base64\nx\nE",
])('SHELL-12 %j only reads a text', (command) => {
  expect(verdictOf(command).reasons.join()).not.toMatch(/may run the text|runs what/)
})

describe('scripts for sed', () => {
  test.each([
    ...['1,5p;10p', 's/a/b/;s/c/d/g', '/^$/d; /^#/d', '$!d', '1!G;h;$!d', ':a;N;$!ba;s/\\n/,/g'],
    ...[
      '/a/,/b/{/a/d;p}',
      's|[/]|x|',
      's/[^/]*$//',
      'y/abc/xyz/',
      '0~3p',
      '/x/I,+5p',
      '1i // top',
      '5q;p',
    ],
    ...['s/a\\/b/c/', '\n/a/p\n/b/p\n', '$=', 's/.*/"&",/;n;d'],
  ])('SHELL-12 %j only edits what it reads', (script) => {
    expect(onlyEdits(script)).toBe(true)
  })

  test.each([
    ...[
      'e',
      '1e id',
      's/a/b/e',
      's/a/b/w x',
      'w x',
      'r x',
      'R x',
      'W x',
      'p;e id',
      '/a/{p;w x',
      '{p',
      'p}',
    ],
    ...[
      's/[/]/x/;w y',
      'y/[a/]b/;w y;/',
      's/[\\]/]/x/',
      's/a/b\\\ne id/',
      'a\\',
      'i\\\ne id',
      '/a',
      's/a/b',
      'sxaxbx',
      'F',
      'v',
      '#n\ne',
      'b;e x',
    ],
  ])('SHELL-04 %j may do more', (script) => {
    expect(onlyEdits(script)).toBe(false)
  })

  test('SHELL-04 a script in which GNU and BSD would find w or e as a command is never one that only edits', () => {
    const piece = fc.constantFrom(
      's/a/b/',
      'p',
      'd',
      ';',
      '\n',
      '/a/',
      '1,2',
      '!',
      '{',
      '}',
      '$',
      'N',
      'ba',
      ':a',
      '\\',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.constantFrom('w x', 'e id', 'r x', 's/a/b/e'),
        (pieces, last) => {
          for (const joint of [';', '\n'])
            if (!/^(?::|b)/.test(pieces.at(-1) ?? ''))
              expect(onlyEdits([...pieces, last].join(joint))).toBe(false)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

test.each([
  ['xxd', ['-l', '64', 'a'], false],
  ['xxd', ['-s', '4', '-l', '64', 'a', 'b'], true],
  ['xxd', ['a', '-l'], true],
  ['xxd', ['-col', '8', 'a'], true],
  ['xxd', ['-', 'b'], true],
  ['uniq', ['-f', '1', 'a'], false],
  ['uniq', ['-c', 'a', 'b'], true],
] as const)('SHELL-12 %s %j writes a second file: %s', (program, rest, expected) => {
  expect(writesSecond(program, rest)).toBe(expected)
})

describe('modules of Python', () => {
  test.each([
    'python3 -m json.tool a.json',
    'cat a | python -m json.tool --indent 2',
    'python3 -m venv .venv',
  ])('SHELL-12 %s is not asked about', (command) => {
    expect(verdictOf(command).reasons).toEqual([])
  })

  test('SHELL-04 one that starts a program needs a rule for that too', () => {
    const permissions = { bash: { 'python *': 'allow' } }
    expect(judgeBash('python -m coverage report', { permissions }).action).toBe('ask')
    const both = { bash: { 'python *': 'allow', 'coverage *': 'allow' } }
    expect(judgeBash('python -m coverage report', { permissions: both }).action).toBe('allow')
  })
})

describe('long commands', () => {
  const code = 'export function f(a: string): string {\n  return `x ${a}` + g({ b: [1, (2)] })\n}\n'
  const long: Readonly<Record<string, string>> = {
    'a here-document': `cat > a.ts <<'EOF'\n${code.repeat(760)}EOF`,
    files: `git add ${Array.from({ length: 3_000 }, (_, at) => `src/d${at}/f${at}.ts`).join(' ')}`,
    'a message': `git commit -m '${code.repeat(760)}'`,
    lines: Array.from({ length: 2_400 }, (_, at) => `echo step ${at}`).join('\n'),
  }
  const pieces = [
    'a;',
    'a|',
    'a b ',
    '> x',
    'cd a;',
    '../',
    'sudo ',
    '<<a ',
    "bash -c '",
    '$(',
    '[[ ',
    'a@b ',
    '{a,',
  ]

  test('SHELL-09 64 KiB cost less than 50 ms', () => {
    for (const [name, text] of [
      ...Object.entries(long),
      ...pieces.map((piece) => [piece, piece.repeat(65_536 / piece.length)] as const),
    ]) {
      const least = leastProcessorMs(() => void verdictOf(text), 50)
      expect([name, least]).toEqual([name, expect.toSatisfy((ms: number) => ms < 50)])
    }
  })

  test('SHELL-09 SHELL-10 what a database or a test is given takes no longer than its length', () => {
    for (const text of [`sqlite3 x '${'\n'.repeat(60_000)}'`, `test '${'['.repeat(60_000)}'`]) {
      const least = leastProcessorMs(() => void verdictOf(text), 50)
      expect(least).toBeLessThan(50)
    }
    expect(verdictOf("sqlite3 x '\n\n \t.shell id'").action).toBe('ask')
    expect(verdictOf("test 'a[[$(id)]' = x").action).toBe('ask')
  })

  test('SHELL-03 a deny is found in them, and too many commands are refused', () => {
    const permissions = { bash: { '*': 'allow', 'rm *': 'deny' }, write: 'allow' }
    for (const text of Object.values(long)) {
      expect(judgeBash(text, { permissions }).action).toBe('ask')
      expect(judgeBash(`${text}\nrm x`, { permissions }).action).toBe('deny')
    }
    const { action, reasons } = judgeBash('a;'.repeat(30_000), { permissions })
    expect([action, reasons.join()]).toEqual(['deny', 'the command holds more than 16000 words'])
  })

  test('SHELL-12 a here-document of ordinary code is read whole, however many braces it holds', () => {
    expect(verdictOf(`cat > a.ts <<'EOF'\n${code.repeat(100)}EOF`).reasons).toEqual([])
    expect(analyseCommand(`cat > a.ts <<'EOF'\n${code.repeat(100)}EOF`).commands).toHaveLength(1)
  })
})

describe('characters', () => {
  test.each([
    '✨ feat: dark mode ❤️',
    'fix: ⚠️ guard',
    '👩‍💻 avatar',
    '🏳️‍🌈 1️⃣ 🇩🇪',
    'über naïve Việt',
    '日本語 한국어 हिन्दी',
  ])('SHELL-12 a message with %s is not asked about', (message) => {
    expect(verdictOf(`git commit -m "${message}"`).reasons).toEqual([])
  })

  test.each([
    'a\u2800b',
    'e\u0301\u0301\u0301',
    '-\u0338',
    'a\ufe0f',
    'a\u200db',
    '❤️\ufe0f',
    '\u{1f468}\u200d',
  ])('SHELL-03 APPR-16 %j asks', (message) => {
    expect(verdictOf(`git commit -m "${message}"`).action).toBe('ask')
  })
})

test.each(['grep "^$" x', 'echo "costs $ 5"', 'grep -E "(a|b)$" x', 'grep "a$\\|b" x', 'echo "$"'])(
  'SHELL-12 the dollar of %j stands for itself',
  (command) => {
    expect(verdictOf(command).reasons).toEqual([])
  },
)

describe('options that load or run code', () => {
  const named = [
    ...['curl -w @x http://u', 'curl -fsSLw @x u', 'curl --write-out=@x u', 'curl --write-o @x u'],
    ...['curl -Kx', 'curl -K x', 'curl --conf x u', 'curl -sK x'],
    ...[
      'dotnet build -p:CustomBeforeMicrosoftCommonTargets=x',
      'dotnet test /P:DirectoryBuildPropsPath=x',
    ],
    ...[
      'dotnet build --property:CustomAfterMicrosoftCommonTargets=x',
      'dotnet build --property A=x',
    ],
    ...['dotnet build -p A=x', 'msbuild -property:A=x', 'dotnet build "-p:Version=1;A=x"'],
    ...[
      'dotnet build -p:Version=$([System.IO.File]::ReadAllText(x))',
      'dotnet restore --configfile x',
    ],
    ...['dotnet vstest x.dll --testAdapterPath:x', 'dotnet build @x'],
    ...[
      'gradle -I init.gradle',
      'gradle -Dgradle.user.home=x build',
      'mvn -s x test',
      'mvn -f x.xml test',
    ],
    ...['cmake -C x .', 'cmake -D CMAKE_PROJECT_INCLUDE=x .', 'cmake -DCMAKE_MODULE_PATH=x .'],
    ...[
      'cmake -DFETCHCONTENT_SOURCE_DIR_X=x .',
      'cmake -DFoo_DIR:PATH=x .',
      'cmake --toolchain x .',
    ],
    ...[
      'cmake -DCMAKE_C_FLAGS=-fplugin=x .',
      'cmake -DCMAKE_C_COMPILER=./x .',
      'cmake --build . -- -f x',
    ],
    ...['cmake -DCMAKE_CXX_CLANG_TIDY=x .', 'cmake -DPython3_EXECUTABLE=x .'],
    ...[
      'make -f x',
      'make -kf x',
      'make --makefile=x',
      'ninja -f x',
      'ninja -fx',
      'scons --site-dir=x',
    ],
    ...['meson setup b -Dc_args=-fplugin=x', 'meson setup b -D cpp_link_args=-fuse-ld=x'],
    ...[
      'meson setup b --native-file x',
      'cdk deploy --app x',
      'cdk deploy -a x',
      'storybook dev -c x',
    ],
    ...[
      'wrangler dev -c x',
      'typedoc --plugin x',
      'jsdoc -c x',
      'lessc --plugin=x a b',
      'tauri build -r x',
    ],
    ...[
      'locust -f x.py',
      'robot --listener x t',
      'behave -f x:Y',
      'jekyll build -p x',
      'skaffold dev -f x',
    ],
    ...[
      'asciidoctor -r ./x a',
      'clang-tidy -load x a.c',
      'cppcheck --addon=x .',
      'foreman start -f x',
    ],
    ...[
      'nix-build -E x',
      'yt-dlp --exec x u',
      'yt-dlp -a x',
      'jar @x',
      'pytest @x',
      'tsc @x',
      'kotlinc @x',
      '7z a y @x',
      'objcopy @x',
    ],
    ...['flyway -jarDirs=x migrate', 'xcodebuild -xcconfig x', 'swift build -Xcc -fplugin=x'],
  ]
  test.each(named)('SHELL-11 SHELL-04 %s asks, whatever rule allows the program', (command) => {
    expect(verdictOf(command).action).toBe('ask')
  })

  test.each([
    ...['curl -s -w "%{http_code}" http://u', 'curl -sw "%{http_code}\\n" http://u'],
    ...[
      'dotnet build -p:Configuration=Release',
      'dotnet publish -c Release /p:PublishSingleFile=true',
    ],
    ...['dotnet pack -p:PackageVersion=1.2.3-rc.1', "dotnet build '-p:NoWarn=CS1591;CS1573'"],
    ...[
      'dotnet test /p:CollectCoverage=true /p:CoverletOutputFormat=lcov',
      'dotnet run -p src/App',
    ],
    ...['cmake -S . -B b -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON', 'cmake -D WITH_X=ON .'],
    ...[
      'cmake -DCMAKE_CXX_FLAGS="-O2 -Wall -Werror -fsanitize=address" .',
      'cmake --build b -- -j8',
    ],
    ...['cmake -DCMAKE_C_COMPILER=clang-18 -DCMAKE_CXX_COMPILER=clang++-18 .'],
    ...['cmake -DCMAKE_CXX_COMPILER_LAUNCHER=ccache .', 'cmake -DCMAKE_INSTALL_PREFIX=out .'],
    ...[
      'make -f Makefile.local test',
      'make -f build/rules.mk',
      'ninja -C build -j4',
      'mvn -f api/pom.xml test',
    ],
    ...['meson setup build -Dbuildtype=release -Db_lto=true', 'meson setup b -Dc_args="-O2 -Wall"'],
    ...['wrangler dev -c wrangler.toml', 'prisma generate --schema prisma/schema.prisma'],
    ...['locust -f locustfile.py', 'behave -f pretty', 'skaffold dev -f skaffold.yaml'],
    ...['playwright test --config=playwright.ci.config.ts', 'sphinx-build -b html docs out'],
  ])('SHELL-12 %s does not', (command) => {
    expect(verdictOf(command).reasons).toEqual([])
  })

  test('SHELL-11 however name and value are put together', () => {
    const asked = fc.constantFrom(
      ...[
        ['curl', '--write-out', '@x'],
        ['cmake', '-D', 'CMAKE_PROJECT_INCLUDE=x'],
        ['ninja', '-f', 'x'],
      ],
      ...[
        ['make', '--file', 'x'],
        ['meson', '-D', 'c_args=-fplugin=x'],
        ['wrangler', '--config', 'x'],
      ],
      ...[
        ['locust', '-f', 'x'],
        ['cdk', '--app', 'x'],
        ['skaffold', '--filename', 'x'],
        ['gradle', '-I', 'x'],
      ],
    )
    const others = fc.array(fc.constantFrom('a', 'test', '-v', 'b.txt'), { maxLength: 3 })
    fc.assert(
      fc.property(
        asked,
        others,
        others,
        fc.boolean(),
        ([program = '', name = '', given = ''], before, after, isApart) => {
          const joint = name.startsWith('--') ? '=' : ''
          const set = isApart ? [name, given] : [`${name}${joint}${given}`]
          const command = [program, ...before, ...set, ...after].join(' ')
          expect([command, verdictOf(command).action]).toEqual([command, 'ask'])
        },
      ),
    )
  })

  test('SHELL-09 no value takes longer than its length', () => {
    for (const text of ['-W-', 'a;', '_FLAGS', 'D_a=', 'args_', '.a/', 'NoWarn=b;'])
      for (const head of [
        'cmake -DCMAKE_C_FLAGS=',
        'dotnet build -p:NoWarn=',
        'meson -D',
        'make -f ',
      ]) {
        const command = `${head}'${text.repeat(60_000 / text.length)}!'`
        const least = leastProcessorMs(() => void verdictOf(command), 50)
        expect([head, text, least]).toEqual([head, text, expect.toSatisfy((ms: number) => ms < 50)])
      }
  })
})
