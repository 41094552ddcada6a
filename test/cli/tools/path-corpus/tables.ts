const n255 = 'n'.repeat(255)
const deep = `${'a/'.repeat(1000)}a`

/** Calls that change no file. */
export const looking = `
ok read plain ./plain sub/../plain plain/ plain/. ~/plain .//plain WS/plain WS/../ws/plain /..WS/plain //WS/plain ../ws/plain => one
ok read missing/../plain out/../plain outdir/../plain indir/../plain plain/../plain in c1 abs self/self/plain up/ws/plain => one
ok read /proc/self/rootWS/plain rootWS/plain /proc/self/cwd/plain procWS/plain => one
ok read sub/./deep/leaf sub//deep///leaf indir/deep/leaf absdir/deep/leaf self/sub/deep/leaf => leaf
ok read a_b.txt => space
ok read new\\nline => nl
ok read -rf => dash
ok read ~/~ ./~ => tilde
ok read [x] => bracket
ok read * => star
ok read caf\u00e9 => composed
ok read Case => upper
ok read hard => linked
ok read empty empty|5 => (the file is empty)
ok read crlf => 3\tc
ok read bom => 1\tone
ok read nofinal|1 => 2\ty
ok read long => line cut: 48000 more characters
ok read plain|0 plain||1 => one
ok read plain|1 => 2\ttwo
ok read plain|2|1 => 3\tthree
ok read plain|3 plain|100 plain|1e9 => nothing at offset
ok read big|109999|5 => 110000\tx
ok read big|200000 => 110000 lines
ok read big||1 => 1\txxx
invalid read big => offset and limit
invalid read plain||0 plain||-1 plain|-1 plain||1e9 plain|1e12 '' plain\\0 plain\\0/etc/passwd a\\0 ${'n'.repeat(256)} ${'n'.repeat(4097)}
mismatch read 5 null true plain|1.5 plain|x plain||x
failed read ~ ~/ . sub emptydir sub/.. indir self => is a directory
failed read missing missing/deep caf\u0065\u0301 case PLAIN ~root/x %2e%2e/outside/secret ..\\outside file://WS/plain $HOME/plain \`id\` ${n255} ${deep} => no such file
failed read plain/x plain/x/y => is not a directory
failed read bin => binary
failed read latin => UTF-8
failed read fifo tofifo => not a regular file
failed read dead => leads nowhere
failed read loop loopa loop/x => circle
blocked read .. ../outside/secret ../ws-evil/file ~/../ws-evil/file sub/../.. sub/../../outside/secret / /etc/passwd /etc/shadow /etc/passwd/x /nonexistent/x
blocked read ROOT/ws-evil/file ROOT/outside/secret out outdir outdir/secret rel up up/outside/secret deadout o1 root root/etc/passwd proc/etc/passwd sub/mid/secret evil/file tozero tostdin indir/mid/secret
blocked read /proc/self/root/etc/passwd /proc/self/environ /proc/1/environ /proc/self/fd/0 /proc/self/fd/1 /proc/thread-self/root/etc/passwd /proc/self/maps /proc/self/mem
blocked read /dev/stdin /dev/fd/0 /dev/fd/3 /dev/null /dev/zero /dev/tty /dev/random /dev/full
ok list_directory . ~ self WS => [file] plain
ok list_directory sub indir absdir => [symlink] mid
ok list_directory emptydir => (the directory is empty)
failed list_directory plain fifo in c1 => is not a directory
failed list_directory missing => no such file
blocked list_directory .. / outdir root proc /proc /proc/self/fd up sub/mid evil ROOT ROOT/outside /dev/fd
ok find_path .|*.ts .|**/*.ts .|src/*.ts self|*.ts .|**/a.{ts,tsx} WS|src/** => src/a.ts
ok find_path src|*.{ts,js} => b.js
ok find_path .|.git/** => .git/config
ok find_path .|node\\umodules/** => node_modules/m/index.js
ok find_path .|new\\nline => new\\nline
ok find_path .|[[]x] .|\\[x\\] => [x]
ok find_path .|*|2 => (2 of
ok find_path .|outdir/* .|index.js .|out .|deadout .|deep/secret .|[ .|(((((((((( => (nothing found)
invalid find_path .|{1..1000000} .|../outside/* .|/etc/* .|'' .|!(a) .|*|0 .|*|-1 .|${'*'.repeat(300)} .|a\\0b
failed find_path plain|* missing|* fifo|*
blocked find_path ..|* /|* outdir|* root|* sub/mid|* proc|* up|**
ok grep needle needle|src needle|. => a.ts:1: needle
ok grep needle||*.ts needle|self/src|*.{ts,js} needle|WS/src => a.ts:1: needle
ok grep needle|.git needle||.git/** => .git/config:1: needle
ok grep needle||node\\umodules/** => node_modules/m/index.js:1: needle
ok grep NEEDLE needle||*.md secret --files -e||*.ts (a\\pa)*b|redos (a+)+$|redos ^(([a-z])+.)+[A-Z]([a-z])+$|redos .*|bin ^$|empty => (nothing found)
ok grep leaf|indir leaf|absdir/deep => leaf:1: leaf
ok grep two|plain||1 => plain-1- one
ok grep c$|crlf => crlf:3: c
ok grep a|long => [line cut]
invalid grep ( [ * (?=x) (?<=x)y (a)\\1 '' x{1001} x{99999999} \\P{L} a\\nb \\n a\\0b needle||a\\0b needle|plain\\0
failed grep x|missing x|plain/x one|fifo one|tofifo
blocked grep secret|.. secret|outdir secret|out secret|/ secret|/etc/passwd secret|sub/mid secret|/proc/self/environ x|/dev/zero secret|evil secret|o1
`

/** Ordered: each line depends on those before. */
export const changing = `
ok write w1|new w1|again nd/a/b/c|new WS/w2|new ~/w3|new ../ws/w4|new indir/w5|new absdir/w6|new -o|x two\\nlines|x ${n255}|x w7|'' w8/|x self/w9|x
ok write in|through
ok read plain => through
ok write hard|mine w10|\\0x /proc/self/rootWS/w11|x
failed write nd/a/b/c/d|x plain/x|x => is not a directory
failed write sub|x .|x ~|x indir|x => is a directory
failed write fifo|x tofifo|x => not a regular file
failed write dead|x dead/x|x => leads nowhere
failed write loop|x loop/x|x
invalid write ''|x a\\0b|x ${'n'.repeat(256)}|x w12 n\\0/../../x|x
mismatch write w12|5 5|x w12|null
blocked write ..|x /|x ../new|x ../ws-evil/x|x ROOT/outside/x|x ROOT/ws-evil|x out|x outdir/x|x outdir/n/x|x deadout|x deadout/x|x o1|x rel|x up/x|x tozero|x evil/x|x sub/mid/x|x root/tmp/zz|x proc/tmp/zz|x
blocked write /dev/null|x /etc/passwd|x /proc/self/comm|x /proc/self/fd/1|x /dev/stdout|x /dev/fd/1|x /tmp/x|x /tmp|x w12|[redacted:x]
ok edit plain|thr|Thr c1|Thr|thr self/plain|through|through! dup|x|z|true crlf|a\\nb|q\\nr nofinal|y|Y bom|one|ONE long|end|END hard|mine|ours abs|through!|one\\ntwo\\n => replacement
failed edit dup|z|x => 3 times, on lines 1, 2, 4
failed edit plain|absent|x dup|absent|x|true empty|a|b => not found
failed edit missing|a|b sub|a|b bin|a|b latin|a|b big|x|y fifo|a|b dead|a|b plain/x|a|b
invalid edit plain|''|x plain|''|'' plain|one|one plain|one a\\0|a|b
mismatch edit plain|1|x plain|one|x|1
blocked edit out|the|x outdir/secret|the|x ../outside/secret|the|x /etc/passwd|root|x rel|the|x o1|the|x sub/mid/secret|the|x plain|one|[redacted:x]
ok create_directory m1 m1 m2/a/b . indir/m ~/m3 WS/m4 m5/ m1/../m6 self/m7
failed create_directory plain plain/x in fifo loop dead
invalid create_directory '' m\\0 ${'n'.repeat(256)}
blocked create_directory .. ../m outdir/m deadout deadout/m /tmp/m /m / sub/mid/m up/m evil/m ROOT/outside/m
ok copy_path plain|cp1 sub|subcopy out|linkcopy outdir|dircopy in|incopy plain|new/parent/x dead|dead2 loop|loop2 emptydir|emptydir2 a_b.txt|c_d.txt plain|~/tilde WS/plain|WS/cp2 hard|hard2 tree|tree2 self/plain|cp3 tofifo|tofifo2
failed copy_path plain|cp1 plain|sub sub|plain missing|x fifo|x plain|out plain|dead plain|deadout plain|in x|y plain/x|y
invalid copy_path plain|plain sub|sub sub|sub/in plain|plain/x .|sub/all plain|'' ''|x plain|a\\0b self/plain|plain
blocked copy_path plain|../x ../outside/secret|x outdir/secret|x plain|outdir/x /etc/passwd|x /proc/self/environ|x ROOT/outside/secret|x ..|x sub/mid/secret|x plain|/tmp/x plain|sub/mid/x plain|deadout/x /dev/zero|x /|x up|../x root/etc|x
failed read dircopy2/x
blocked read linkcopy linkcopy/x dircopy/secret tree2/out subcopy/mid/secret
ok read tree2/a/b => b
ok move_path cp1|mv1 linkcopy|linkmoved outdir|outdir9 subcopy|sub7 mv1|a/b/c/mv1 fifo|fifo7 loop|loop7 self/cp3|cp4 WS/cp4|WS/cp5 two\\nlines|one_line
failed move_path missing|x cp5|plain emptydir|emptydir2 emptydir|plain plain|deadout plain|dead sub|tree
invalid move_path sub|sub/in sub|sub plain|plain cp5|'' self/plain|plain
blocked move_path .|x ..|x WS|x WS|../x /|x cp5|../x ../outside/secret|x outdir9/secret|x cp5|outdir9/x /etc/hostname|x sub7/mid/secret|x cp5|/tmp/x cp5|. cp5|WS sub|ROOT/outside/sub root/etc/hostname|x
ok read cp5 => one
failed delete_path missing plain/x tree|false nd|false outdir/x
invalid delete_path '' plain\\0 a\\0
mismatch delete_path plain|1 5
blocked delete_path . ~ ~/ / .. WS WS/ ROOT tree/.. ../outside/secret ROOT/outside outdir9/secret outdir9/dir /etc/passwd /proc/self sub/mid/secret up/outside root/etc indir/mid/dir
ok delete_path outdir9 out dead deadout loop7 fifo7 in rel evil proc root up self sub/mid emptydir2|false w1|false tree sub7 -o one_line
failed delete_path outdir9 out self/w9 tree
ok bash pwd => WS
ok bash cat_plain => one
failed bash nosuchprogram
blocked bash exit_126
invalid bash '' a\\0b
late bash sleep_30|1
ok find_path .|*countersign-* => (nothing found)
`

/** With `second` allowed, `ref/**` readable, and `*.env`, `private/**`, `**\/deadly` kept from being read. */
export const withRules = `
ok read plain ROOT/second/two.txt ../second/two.txt ROOT/ref/page.txt ../ref/page.txt ROOT/ref/x.env ../ref/../ref/x.env private/public/page
blocked read .env ./.env sub/prod.ENV sub/../.env WS/.env WS/private/key private/key private//key private/./key toenv topriv/key self/private/key rootWS/private/key /proc/self/rootWS/.env
blocked read ROOT/second/keys.env ROOT/outside/secret ROOT/second/../outside/secret ROOT/second-evil/x ROOT ROOT/ref-evil out
ok write ROOT/second/new|x ROOT/second/d/new|x private/new|x
blocked write ROOT/ref/new|x ROOT/ref/page.txt|x ROOT/reference|x ROOT/second-evil/x|x ROOT/new|x
blocked edit .env|K|X toenv|K|X private/key|hidden|x topriv/key|hidden|x ROOT/ref/page.txt|ref|x ROOT/second/keys.env|K|X sub/prod.ENV|K|X
blocked create_directory ROOT/ref/d ROOT/third
blocked copy_path .env|x toenv/|ROOT/ref/x private/key|x ROOT/second/keys.env|x plain|ROOT/ref/x WS/private/key|x topriv/key|x
blocked move_path .env|x private/key|x private|x sub|x ROOT/second|x ROOT/ref/page.txt|x ROOT/ref|x plain|ROOT/ref/x ROOT/second/keys.env|x WS|x
blocked delete_path ROOT/ref/page.txt ROOT/ref ROOT/second ROOT WS
blocked grep K|.env K|toenv hidden|private/key hidden|topriv/key hidden|WS/private/key
blocked list_directory private topriv WS/private ROOT/outside
ok copy_path ROOT/ref/page.txt|page ROOT/second/two.txt|two sub|subcopy .|ROOT/second/all plain|ROOT/second/plain toenv|envlink
ok bash test_!_-e_subcopy/prod.ENV_&&_test_!_-e_ROOT/second/all/sub/prod.ENV_&&_echo_left_out => left out
blocked read envlink ROOT/second/all/toenv ROOT/second/all/.env
ok grep K=\\phidden K=|sub K=|ROOT/second hidden => (nothing found)
ok find_path .|*.env .|*.ENV .|key ROOT/second|*.env .|toenv .|topriv => (nothing found)
ok find_path ROOT/ref|* private/public|* => page
ok move_path ROOT/second/two.txt|moved moved|ROOT/second/d/moved tree|ROOT/second/tree
ok delete_path ROOT/second/tree private envlink
ok list_directory ROOT/second => [file] new
ok bash cat_plain => one
`
