import { expect, test } from 'vitest'
import { applyBuiltIn } from './apply.ts'

const n = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')
type Case = readonly [command: string, exit: number | null, text: string, kept: readonly string[]]
const crates = n(60, (i) => `   Compiling crate${i} v1.${i}.0`)
/** Outputs as tools print them, much of it noise, and what of each names what went wrong. */
const cases: readonly Case[] = [
  [
    'cargo build',
    101,
    `${crates}\nerror: linking with \`cc\` failed: exit status: 1\n  |\n  = note: LC_ALL="C" "cc" "-m64"\n  = note: /usr/bin/ld: cannot find -lpq: No such file or directory\n          collect2: error: ld returned 1 exit status\n\nerror: could not compile \`app\` (bin "app") due to 1 previous error`,
    ['cannot find -lpq', 'collect2', 'could not compile'],
  ],
  [
    'cargo build',
    101,
    `${crates}\nerror[E0308]: mismatched types\n  --> src/main.rs:4:18\n   |\n4  |     let x: u32 = "a";\n   |            ---   ^^^ expected \`u32\`, found \`&str\`\n   |            |\n   |            expected due to this\n${n(40, (i) => `warning: unused variable: \`v${i}\`\n --> src/a${i}.rs:1:1`)}`,
    ['E0308', 'src/main.rs:4:18', 'expected `u32`'],
  ],
  [
    'cargo clippy',
    101,
    `${crates}\nerror: this loop never actually loops\n  --> src/lib.rs:9:5\n   |\n9  |     loop { break }\n   |\n   = help: for further information visit x\n   = note: \`#[deny(clippy::never_loop)]\` on by default\n\nthread 'rustc' panicked at compiler/x.rs:1:1:\ninternal compiler error: broken mir`,
    ['never actually loops', 'src/lib.rs:9:5', 'broken mir'],
  ],
  [
    'cargo test',
    101,
    `${n(80, (i) => `test t${i} ... ok`)}\ntest pays ... FAILED\n\nfailures:\n\n---- pays stdout ----\nthread 'pays' panicked at src/lib.rs:3:5:\nassertion \`left == right\` failed: total\n  left: 3\n right: 4\n\nfailures:\n    pays\n\ntest result: FAILED. 80 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out`,
    ['pays ... FAILED', 'left: 3', 'right: 4', 'test result: FAILED'],
  ],
  [
    'cargo test',
    null,
    `${n(80, (i) => `test t${i} ... ok`)}\ntest hangs has been running for over 60 seconds`,
    ['hangs has been running'],
  ],
  [
    'cargo test',
    101,
    `${n(50, (i) => `test t${i} ... ok`)}\nfatal runtime error: stack overflow\nerror: test failed, to rerun pass \`--lib\`\n\nCaused by:\n  process didn't exit successfully: \`x\` (signal: 6, SIGABRT: process abort signal)`,
    ['stack overflow', 'SIGABRT'],
  ],
  [
    'npm install',
    1,
    `${n(60, (i) => `npm warn deprecated pkg${i}@1.0.0: no longer supported`)}\nnpm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error While resolving: app@1.0.0\nnpm error Found: react@19.0.0\nnpm error node_modules/react\nnpm error   react@"^19.0.0" from the root project\nnpm error\nnpm error Could not resolve dependency:\nnpm error peer react@"^18" from old-lib@2.1.0`,
    ['ERESOLVE', 'Found: react@19.0.0', 'old-lib@2.1.0'],
  ],
  [
    'npm ci',
    1,
    `npm error code EUSAGE\nnpm error\nnpm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.\nnpm error\nnpm error Missing: left-pad@1.3.0 from lock file\n${n(40, (i) => `npm warn old lockfile x${i}`)}`,
    ['Missing: left-pad@1.3.0', 'EUSAGE'],
  ],
  [
    'npm install',
    0,
    `${n(40, (i) => `npm http fetch GET 200 https://registry/p${i} 20ms (cache hit)`)}\nadded 300 packages, and audited 301 packages in 9s\n\n3 vulnerabilities (1 moderate, 2 critical)\n\nTo address all issues, run:\n  npm audit fix`,
    ['2 critical'],
  ],
  [
    'npm install',
    1,
    `> app@1.0.0 postinstall\n> node-gyp rebuild\n\ngyp info it worked if it ends with ok\n${n(60, (i) => `gyp info spawn args '${i}'`)}\ngyp ERR! find Python\ngyp ERR! stack Error: Could not find any Python installation to use\ngyp ERR! not ok\nnpm error code 1\nnpm error path /w/node_modules/bcrypt`,
    ['Could not find any Python', 'node_modules/bcrypt'],
  ],
  [
    'pip install -r requirements.txt',
    1,
    `${n(50, (i) => `Collecting pkg${i}\n  Downloading pkg${i}-1.0-py3-none-any.whl (20 kB)`)}\nERROR: Could not find a version that satisfies the requirement torch==9.9 (from versions: 2.0, 2.1)\nERROR: No matching distribution found for torch==9.9`,
    ['torch==9.9 (from versions', 'No matching distribution'],
  ],
  [
    'pip install .',
    1,
    `Processing /w\n  Installing build dependencies: started\n  Installing build dependencies: finished with status 'done'\n  Getting requirements to build wheel: started\n  Getting requirements to build wheel: finished with status 'error'\n  error: subprocess-exited-with-error\n\n  × Getting requirements to build wheel did not run successfully.\n  │ exit code: 1\n  ╰─> [3 lines of output]\n      Traceback (most recent call last):\n        File "setup.py", line 3, in <module>\n      ModuleNotFoundError: No module named 'numpy'\n      [end of output]\n${n(40, (i) => `  Downloading x${i}.whl (3 kB)`)}`,
    ["No module named 'numpy'", 'did not run successfully', "finished with status 'error'"],
  ],
  [
    'pip install a b',
    0,
    `${n(40, (i) => `Requirement already satisfied: p${i} in ./lib`)}\nERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\nb 2.0 requires c<2, but you have c 3.0 which is incompatible.\nSuccessfully installed a-1.0 b-2.0`,
    ['b 2.0 requires c<2'],
  ],
  [
    'pytest',
    1,
    `============ test session starts ============\n${n(60, (i) => `tests/test_${i}.py ....... [ ${i}%]`)}\ntests/test_x.py F [100%]\n\n====== FAILURES ======\n______ test_pay ______\n\n    def test_pay():\n>       assert pay(3) == 4\nE       assert 3 == 4\nE        +  where 3 = pay(3)\n\ntests/test_x.py:5: AssertionError\n------ Captured stdout call ------\nbalance is 12\n====== short test summary info ======\nFAILED tests/test_x.py::test_pay - assert 3 == 4\n====== 1 failed, 420 passed in 3.1s ======`,
    ['assert pay(3) == 4', 'where 3 = pay(3)', 'balance is 12', '1 failed, 420 passed'],
  ],
  [
    'pytest -q',
    2,
    `ImportError while loading conftest '/w/conftest.py'.\nconftest.py:1: in <module>\n    import app\napp/__init__.py:3: in <module>\n    from .db import engine\nE   ModuleNotFoundError: No module named 'psycopg'`,
    ['psycopg', 'app/__init__.py:3'],
  ],
  [
    'pytest',
    0,
    `${n(40, (i) => `tests/test_${i}.py ....... [ ${i}%]`)}\n=== warnings summary ===\ntests/a.py::x\n  DeprecationWarning: will be removed\n=== 280 passed, 1 xfailed, 1 warning in 2s ===`,
    ['280 passed, 1 xfailed'],
  ],
  [
    'go test ./...',
    1,
    `${n(60, (i) => `ok  \texample.com/p${i}\t0.0${i}s`)}\n--- FAIL: TestPay (0.00s)\n    pay_test.go:12: got 3, want 4\nFAIL\nFAIL\texample.com/pay\t0.01s\nFAIL`,
    ['pay_test.go:12', 'FAIL: TestPay', 'example.com/pay'],
  ],
  [
    'go test -v ./...',
    2,
    `${n(60, (i) => `=== RUN   TestA${i}\n--- PASS: TestA${i} (0.00s)`)}\n=== RUN   TestRace\n==================\nWARNING: DATA RACE\nWrite at 0x00c0001 by goroutine 8:\n  example.com/x.inc()\n      /w/x.go:9 +0x44\n==================\n    testing.go:1: race detected during execution of test\n--- FAIL: TestRace (0.00s)\nFAIL\texample.com/x\t0.2s`,
    ['DATA RACE', 'x.go:9', 'FAIL: TestRace'],
  ],
  [
    'go build ./...',
    1,
    `${n(40, (i) => `go: downloading example.com/m${i} v1.0.${i}`)}\ngo: example.com/gone@v1.2.3: reading example.com/gone: 404 Not Found\n# example.com/app\n./main.go:7:2: undefined: foo`,
    ['404 Not Found', 'undefined: foo'],
  ],
  [
    'go vet ./...',
    1,
    `# example.com/app\n./main.go:9:2: fmt.Printf format %d has arg x of wrong type string\nvet: exit status 1`,
    ['wrong type string'],
  ],
  [
    'npx vitest run',
    1,
    `${n(60, (i) => ` ✓ test/a${i}.test.ts (3 tests) 4ms`)}\n ❯ test/b.test.ts (2 tests | 1 failed) 9ms\n   × pays 5ms\n     → expected 3 to be 4\n\n⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯\n\n FAIL  test/b.test.ts > pays\nAssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n- 4\n+ 3\n\n ❯ test/b.test.ts:5:20\n\n Test Files  1 failed | 60 passed (61)\n      Tests  1 failed | 181 passed (182)`,
    ['× pays', 'test/b.test.ts:5:20', '- 4', '1 failed | 60 passed'],
  ],
  [
    'npx vitest run',
    1,
    `${n(60, (i) => ` ✓ test/a${i}.test.ts (3 tests) 4ms`)}\n\n⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯\n\nVitest caught 1 unhandled error during the test run.\n\n⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯\nTypeError: Cannot read properties of undefined (reading 'x')\n ❯ src/a.ts:3:1\n\n Test Files  60 passed (60)`,
    ["reading 'x'", 'src/a.ts:3:1'],
  ],
  [
    'npx jest',
    1,
    `${n(60, (i) => `PASS src/a${i}.test.js`)}\nFAIL src/b.test.js\n  ● Test suite failed to run\n\n    Cannot find module '../gone' from 'src/b.js'\n\n    Require stack:\n      src/b.js\n\nTest Suites: 1 failed, 60 passed, 61 total\nTests:       180 passed, 180 total`,
    ["Cannot find module '../gone'", 'src/b.js', '1 failed, 60 passed'],
  ],
  [
    'npx jest',
    1,
    `${n(60, (i) => `PASS src/a${i}.test.js`)}\nJest: "global" coverage threshold for lines (80%) not met: 71.2%\n`,
    ['threshold for lines'],
  ],
  [
    'npx tsc --noEmit',
    2,
    `${n(80, (i) => `src/a${i}.ts(${i},1): error TS2304: Cannot find name 'x${i}'.`)}\nsrc/zz.ts(9,9): error TS2345: Argument of type 'A' is not assignable to parameter of type 'B'.\n  Property 'q' is missing in type 'A' but required in type 'B'.\n${n(40, (i) => `src/c${i}.ts(${i},1): error TS2304: Cannot find name 'y${i}'.`)}`,
    ['src/zz.ts(9,9)', "Property 'q'"],
  ],
  [
    'npx eslint src',
    1,
    `/w/src/a.ts\n  1:1  error  Parsing error: Unexpected token }\n\n${n(60, (i) => `/w/src/b${i}.ts\n  2:3  warning  Unexpected console statement  no-console\n`)}\n✖ 61 problems (1 error, 60 warnings)`,
    ['Parsing error', '61 problems'],
  ],
  [
    'npx eslint src',
    2,
    `Oops! Something went wrong! :(\n\nESLint: 9.1.0\n\nESLint couldn't find the plugin "eslint-plugin-gone".\n\n(The package "eslint-plugin-gone" was not found when loaded as a Node module from the directory "/w".)`,
    ['eslint-plugin-gone'],
  ],
  [
    'make -j8',
    2,
    `${n(80, (i) => `cc -O2 -c -o a${i}.o a${i}.c`)}\na.c: In function 'main':\na.c:5:3: warning: implicit declaration of function 'foo' [-Wimplicit-function-declaration]\n/usr/bin/ld: a.o: in function \`main':\na.c:(.text+0xe): undefined reference to \`foo'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:3: app] Error 1`,
    ['undefined reference', 'Error 1'],
  ],
  [
    'make',
    2,
    `${n(80, (i) => `[ ${i}%] Building CXX object CMakeFiles/a.dir/a${i}.cpp.o`)}\nc++: internal compiler error: Killed (program cc1plus)\nPlease submit a full bug report\ngmake[2]: *** [a.dir/build.make:76: a.cpp.o] Error 4`,
    ['Killed (program cc1plus)', 'Error 4'],
  ],
  [
    'docker build .',
    1,
    `${n(50, (i) => `#${i} [internal] load metadata for docker.io/library/node:20\n#${i} DONE 0.1s`)}\n#60 [4/6] RUN npm ci\n#60 1.203 npm error code ENOENT\n#60 1.204 npm error syscall open\n#60 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 254\n------\n > [4/6] RUN npm ci:\n------\nDockerfile:9\n--------------------\n   7 |     COPY . .\n   9 | >>> RUN npm ci\n--------------------\nERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 254`,
    ['npm error code ENOENT', 'exit code: 254', '>>> RUN npm ci'],
  ],
  [
    'docker compose up -d',
    1,
    `${n(40, (i) => ` l${i} Pulling fs layer \n l${i} Download complete`)}\n Container db Starting\nError response from daemon: driver failed programming external connectivity on endpoint db: Bind for 0.0.0.0:5432 failed: port is already allocated`,
    ['port is already allocated'],
  ],
  [
    'docker compose up -d',
    1,
    `${n(30, (i) => ` Container c${i} Started`)}\n Container db Error\ndependency failed to start: container db is unhealthy`,
    ['db is unhealthy', 'Container db Error'],
  ],
  [
    'terraform apply',
    1,
    `${n(60, (i) => `aws_x.y${i}: Refreshing state... [id=i-${i}]\naws_x.y${i}: Still creating... [10s elapsed]`)}\n╷\n│ Error: creating S3 Bucket (b): BucketAlreadyExists: The requested bucket name is not available\n│\n│   with aws_s3_bucket.b,\n│   on main.tf line 3, in resource "aws_s3_bucket" "b":\n│    3: resource "aws_s3_bucket" "b" {\n╵`,
    ['BucketAlreadyExists', 'on main.tf line 3'],
  ],
  [
    'terraform plan',
    0,
    `${n(60, (i) => `aws_x.y${i}: Refreshing state... [id=i-${i}]`)}\n  # aws_db_instance.main must be replaced\n-/+ resource "aws_db_instance" "main" {\n      ~ engine = "a" -> "b" # forces replacement\nPlan: 1 to add, 0 to change, 1 to destroy.`,
    ['must be replaced', '1 to destroy'],
  ],
  [
    'kubectl get pods',
    0,
    `NAME READY STATUS RESTARTS AGE\n${n(80, (i) => `web-${i}   1/1   Running   0   5d`)}\nweb-80   0/1   ImagePullBackOff   0   5m\nweb-81   0/1   CreateContainerConfigError   0   1m\nweb-82   0/1   Init:0/2   0   9m\nweb-83   0/1   Pending   0   9m\nweb-84   1/1   Running   37 (2m ago)   5d\nweb-85   0/1   Completed   0   1d\nweb-86   0/1   Terminating   0   1d\n${n(80, (i) => `api-${i}   1/1   Running   0   5d`)}`,
    [
      'ImagePullBackOff',
      'CreateContainerConfigError',
      'Pending',
      'Init:0/2',
      '37 (2m ago)',
      'Terminating',
    ],
  ],
  [
    'kubectl describe pod x',
    0,
    `${n(60, (i) => `Label${i}: x`)}\nEvents:\n  Type     Reason   Age  From     Message\n  Warning  FailedScheduling  1m  scheduler  0/3 nodes are available: 3 Insufficient memory.\n${n(60, (i) => `  Normal  Pulled  ${i}m  kubelet  ok`)}`,
    ['Insufficient memory'],
  ],
  [
    'kubectl apply -f k8s',
    1,
    `${n(60, (i) => `deployment.apps/d${i} unchanged`)}\nThe Deployment "web" is invalid: spec.template.spec.containers[0].image: Required value\nerror: unable to recognize "k8s/x.yaml": no matches for kind "Foo" in version "v1"`,
    ['Required value', 'no matches for kind'],
  ],
  [
    './gradlew build',
    1,
    `${n(60, (i) => `> Task :m${i}:compileJava UP-TO-DATE`)}\n> Task :app:compileJava FAILED\n/w/A.java:3: error: cannot find symbol\n    foo();\n    ^\n  symbol:   method foo()\n  location: class A\n1 error\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:compileJava'.\n\nBUILD FAILED in 3s`,
    ['cannot find symbol', 'symbol:   method foo()', 'What went wrong', ":app:compileJava'"],
  ],
  [
    './gradlew test',
    1,
    `${n(60, (i) => `ATest > t${i} PASSED`)}\nPayTest > pays FAILED\n    org.opentest4j.AssertionFailedError at PayTest.java:9\n        expected: <4> but was: <3>\n\n61 tests completed, 1 failed`,
    ['PayTest.java:9', 'but was: <3>', '1 failed'],
  ],
  [
    'git status',
    0,
    `On branch main\nYour branch and 'origin/main' have diverged,\nand have 2 and 3 different commits each, respectively.\n  (use "git pull" if you want to integrate the remote branch with yours)\n\nYou have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\nUnmerged paths:\n  (use "git add <file>..." to mark resolution)\n\tboth modified:   src/a.ts\n\tdeleted by them:   src/b.ts\n\n${n(60, (i) => `\tmodified:   x${i}`)}`,
    ['diverged', 'both modified: src/a.ts', 'deleted by them', 'x59'],
  ],
  [
    'ls -laR',
    0,
    `${n(120, (i) => `-rw-r--r-- 1 u u 10 Jan 1 00:00 f${i}`)}\nls: cannot open directory './private': Permission denied\nd????????? ? ? ? ? ? gone\n${n(120, (i) => `-rw-r--r-- 1 u u 10 Jan 1 00:00 g${i}`)}`,
    ['Permission denied', 'd?????????'],
  ],
  [
    'find . -name x',
    1,
    `${n(200, (i) => `./a/${i}/x`)}\nfind: './root': Permission denied\n${n(200, (i) => `./b/${i}/x`)}`,
    ['Permission denied'],
  ],
  [
    'tail -500 app.log',
    0,
    `${n(200, (i) => `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z INFO request id=${i} ok`)}\n2026-01-01T00:01:00Z ERROR request id=77 user=3 payment declined\n2026-01-01T00:01:01Z FATAL id=78 disk quota exceeded\n2026-01-01T00:01:01Z WARN id=79 retrying upstream\n${n(200, (i) => `2026-01-01T00:02:${String(i % 60).padStart(2, '0')}Z INFO request id=${i} ok`)}`,
    ['id=77', 'id=78'],
  ],
  [
    'docker logs web',
    0,
    `${n(200, (i) => `{"level":"info","id":${i}}`)}\n{"level":"error","id":"e-1","msg":"upstream gone"}\n{"level":"fatal","id":"e-2","msg":"bye"}\n{"severity":"CRITICAL","id":"e-3"}\nlevel=error id=4 msg="x"\n[E] 5 boom\nE0101 00:00:00.000 1 x.go:3] boom\n<3>boom kernel\n${n(200, (i) => `{"level":"info","id":${i}}`)}`,
    ['e-1', 'e-2', 'e-3', 'level=error id=4', 'x.go:3', '<3>boom', '[E] 5 boom'],
  ],
  [
    'brew install x',
    1,
    `${n(60, (i) => `==> Downloading https://x/${i}\n==> Pouring x${i}`)}\nError: x: no bottle available!\nIf you're feeling brave, you can try to install from source with:\n  brew install --build-from-source x`,
    ['no bottle available', 'build-from-source'],
  ],
  [
    'npx playwright test',
    1,
    `${n(60, (i) => `[${i}/61] › a.spec.ts:3:1 › t${i}`)}\n  1) [chromium] › b.spec.ts:5:1 › logs in\n\n    Error: expect(locator).toBeVisible() failed\n\n    Locator: getByText('Hi')\n    Timeout: 5000ms\n\n      4 |   await page.goto('/')\n    > 5 |   await expect(page.getByText('Hi')).toBeVisible()\n\n    attachment #1: screenshot (image/png)\n    test-results/b/test-failed-1.png\n\n  1 failed\n    [chromium] › b.spec.ts:5:1 › logs in\n  60 passed (9s)`,
    ["getByText('Hi')", 'toBeVisible() failed', '1 failed', '> 5 |'],
  ],
  [
    'mvn test',
    1,
    `${n(80, (i) => `[INFO] Downloading from central: https://x/${i}.jar`)}\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in PayTest\n[ERROR] PayTest.pays:9 expected: <4> but was: <3>\n[INFO] BUILD FAILURE`,
    ['PayTest.pays:9', 'BUILD FAILURE'],
  ],
  [
    'dotnet test',
    1,
    `${n(60, (i) => `  Passed T${i} [1 ms]`)}\n  Failed Pays [3 ms]\n  Error Message:\n   Assert.Equal() Failure\nExpected: 4\nActual:   3\n  Stack Trace:\n     at Pay.Tests.Pays() in /w/P.cs:line 9\nFailed!  - Failed: 1, Passed: 60`,
    ['Expected: 4', 'Actual:   3', 'P.cs:line 9'],
  ],
  [
    'cargo nextest run',
    100,
    `${n(60, (i) => `        PASS [   0.00${i}s] app t${i}`)}\n        FAIL [   0.010s] app pays\n  stdout ───\n\n    running 1 test\n    thread 'pays' panicked at src/lib.rs:3:5:\n    not equal\n\n     SIGSEGV [   0.020s] app crashes\n     TIMEOUT [  60.002s] app waits\n     Summary [  60.1s] 63 tests run: 60 passed, 2 failed, 1 timed out`,
    ['panicked at src/lib.rs:3:5', 'not equal', 'SIGSEGV', 'TIMEOUT', 'FAIL ['],
  ],
  [
    'npm test | tail -200',
    0,
    `${n(60, (i) => ` ✓ a${i}`)}\n 1 failing\n\n  1) pays:\n\n      AssertionError [ERR_ASSERTION]: 3 == 4\n      + expected - actual\n\n      -3\n      +4\n      at Context.<anonymous> (test/a.js:3:5)`,
    ['3 == 4', 'test/a.js:3:5'],
  ],
  [
    'npm run build',
    1,
    `> app@1.0.0 build\n> vite build\n\nvite v5 building for production...\n${n(80, (i) => `transforming (${i}) src/a${i}.ts`)}\n✗ Build failed in 300ms\nerror during build:\nsrc/a.ts (3:9): "x" is not exported by "src/b.ts", imported by "src/a.ts".\nfile: /w/src/a.ts:3:9\n1: import a\n3: import { x } from './b'\n            ^`,
    ['is not exported by', 'src/a.ts:3:9'],
  ],
  [
    'tree',
    0,
    `.\n${n(300, (i) => `├── f${i}`)}\n├── private  [error opening dir]\n${n(300, (i) => `├── g${i}`)}\n\n3 directories, 600 files`,
    ['error opening dir', '600 files'],
  ],
  [
    'apt-get install x',
    100,
    `${n(60, (i) => `Get:${i} http://deb x${i} [3 kB]`)}\nE: Unable to locate package x\nE: Failed to fetch http://deb/y  404  Not Found\nW: Some index files failed to download.`,
    ['Unable to locate', '404  Not Found'],
  ],
]

test.each(cases)(
  'OUT-05 of a long output of `%s` (exit code %j) what names a failure stays',
  (...[command, exitCode, text, kept]) => {
    const shown = applyBuiltIn(command, text, exitCode)?.text ?? text
    expect(kept.filter((part) => !shown.includes(part))).toEqual([])
  },
)
