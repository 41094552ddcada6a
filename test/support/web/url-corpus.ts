/** Hosts, each to be put into `https://…/`, that no web tool asks for (WEB-02). */
const refusedHosts: readonly string[] = [
  ...words(`
    . :443 [] [ ] a@example.com a:b@example.com :b@example.com :@example.com example.com@127.0.0.1
    127.0.0.1@example.com example.com%40127.0.0.1 example.com:443@127.0.0.1 a%3Ab@example.com
    example.com@@127.0.0.1 example.com@127.0.0.1@localhost 127.0.1 127.000.000.001 127.0.0.1:443
    127.255.255.254 02130706433 0X7F000001 0x7f.0.0.1 0177.0.0.01 0177.1 00000177.0.0.1 0x7f.0.1
    127.0x1 127.0.0x1 0x0000007f.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127．0．0．1 127｡0｡0｡1 127%2e0%2e0%2e1 0.0 0x0
    00 0.1.2.3 0.0.0.0. LOCALHOST LocalHost. localhost.. a.b.LOCALHOST. loc%61lhost ｌｏｃａｌｈｏｓｔ
    ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhost.localdomain localhost:443 localhost%00 ℓocalhost loⅽalhost 10.255.255.255
    167772161 0xa000001 012.0.0.1 0xa.1 172.31.255.255 172.16.1 0xac100001 2886729729 192.168.0.1
    192.168.1 0xc0a80001 3232235521 030052000001 169.254.169.254 169.254.43518 169.16689406
    2852039166 0xa9fea9fe 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376 0251.254.169.254 025177524776
    169.254.169.254. 169。254。169。254 １６９.254.169.254 169.254.0.1 100.127.255.255 100.100.100.200
    192.0.0.192 198.19.255.255 192.88.99.1 239.255.255.255 254.1.1.1 4294967295 0xffffffff
    037777777777 4294967296 0x100000000 256.1.1.1 1.2.3.4.5 127.0.0.256 127.0.0.1.1 09.0.0.1
    0x7g.0.0.1 1.1.1.0x100000000 [0:0:0:0:0:0:0:1] [0000::0001] [0::0] [::1]:443 [::FFFF:7F00:1]
    [::ffff:0:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:10.0.0.1] [::ffff:169.254.169.254]
    [::ffff:a9fe:a9fe] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1]
    [64:ff9b:1:fffe::a9fe:a9fe] [2002:a9fe:a9fe::1] [2002:808:808::]
    [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:10::1] [2001:20::1] [2001:1::1] [fd00:ec2::254]
    [fdff::1] [fe80::1%eth0] [fe80::1%251] [febf::1] [ff0e::1] [::2] [::1.2.3.4] [::ffff:0:0]
    [::1%lo] [::1]:8443 [::1 ::1 [v1.fe80] [::g] [1::2::3] [::ffff:127.1] [::ffff:0x7f.0.0.1]
    [fe80::5efe:127.0.0.1] [2620:4f:8000::1]x [::ffff:ffff:ffff] metadata. METADATA
    METADATA.GOOGLE.INTERNAL metadata.google.internal. metadata.google.internal..
    Metadata.Google.Internal:443 a.internal x.Internal. internal instance-data.ec2.internal
    metadata.goog metadata.azure.com metadata.azure.internal metadata.tencentyun.com PRINTER.LOCAL
    printer.local. local a.b.local foo.ⓛocal router db redis kubernetes.default.svc.cluster.local
    host.docker.internal gateway.docker.internal x.lan home.arpa x.home.arpa ip6-localhost
    ip6-loopback broadcasthost xn-- xn--a example.com%2f.localhost .localhost example.com:22
    example.com:65535 example.com:65536 example.com:99999 example.com:-1 example.com:443x
    example.com:0x1bb example.com:４４３0 example.com:444 example.com:1 8.8.8.8:53
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com exa<mple.com exa|mple.com
    exa^mple.com exam%ple.com example.com%00.evil example.com%0a example%2ecom%2flocalhost
    exa"mple.com {host} example..com - example.com:443:443 010.0.0.1 010.010.010.010 0127.0.0.1
    %30127.0.0.1 ０10.0.0.1`),
  'example.com\\@127.0.0.1',
  '127.0.0.1\\@example.com',
  'example.com\\.evil.org',
  'exam\u00adple.com',
  'example.com\u200b',
  '$HOME',
]

/** URLs that no web tool asks for, whatever is wrong with them. */
export const moreRefusedUrls: readonly string[] = [
  ...refusedHosts.map((host) => `https://${host}/`),
  ...words(`
    http://example.com HTTP://EXAMPLE.COM/ file://example.com/x data:text/html,x
    blob:https://example.com/x about:blank ws://example.com wss://example.com gopher://example.com
    ldap://example.com dict://example.com:11111/ jar:https://example.com!/ mailto:a@b.c
    view-source:https://example.com httpss://example.com https-://x.com tel:1 ssh://example.com
    git+https://example.com/ unix:/run/docker.sock http+unix://%2frun%2fdocker.sock/
    netdoc:///etc/passwd php://filter /etc/passwd https https: https:/ https:/// https:////
    https://? https://# https://. https://.. https:/127.0.0.1 https:///127.0.0.1/
    https:////127.0.0.1 https:localhost https:/localhost
    https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com/
    https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.com/`),
  ' ',
  'https:// /',
  'https:\\\\example.com',
  'https:\\/example.com',
  'https:/\\example.com',
  'https://exam\nple.com/',
  'https://example.com/\r\nHost: x',
  '\thttps://example.com/',
  'https://example.com/\u202e',
  'https://127.0.0.1\t/',
  'ht\ntps://127.0.0.1/',
  ' https://127.0.0.1/',
  'https://local\thost/',
  'https://example.com /',
  'https://\u3000example.com/',
  'https://example.com/a b',
  `https://${'a'.repeat(300)}.com/`,
  `https://${'a.'.repeat(200)}com/`,
]

/** Public ones, some of which look like what is refused. */
export const harmlessUrls: readonly string[] = [
  ...words(`
    https://example.com https://example.com/ HTTPS://EXAMPLE.COM/ https://example.com:443/
    https://example.com:0443/ https://example.com./ https://www.example.com/a/b?c=d#e
    https://example.com/@user https://example.com/a@b https://example.com/?u=a@b
    https://example.com/#a@b https://example.com?x=http://127.0.0.1
    https://example.com/http://localhost/ https://example.com/127.0.0.1
    https://example.com/..%2f..%2f https://example.com/%00 https://example.com/a%20b
    https://1.1.1.1/ https://8.8.8.8/ https://93.184.216.34/ https://0x08080808/ https://134744072/
    https://8.8.8.8./ https://172.15.0.1/ https://172.32.0.1/ https://192.167.0.1/
    https://192.169.0.1/ https://11.0.0.1/ https://9.255.255.255/ https://100.63.255.255/
    https://100.128.0.1/ https://169.253.0.1/ https://169.255.0.1/ https://126.0.0.1/
    https://128.0.0.1/ https://198.17.0.1/ https://198.20.0.1/ https://223.255.255.1/
    https://[2606:4700:4700::1111]/ https://[2001:4860:4860::8888]/ https://[2600::1]/
    https://[2a00:1450:4001:80b::200e]/ https://münchen.de/ https://xn--mnchen-3ya.de/
    https://例え.jp/ https://пример.рф/ https://localhost.example.com/ https://mylocalhost.com/
    https://localhosts.com/ https://internal.example.com/ https://local.example.org/
    https://notinternal.com/ https://example.local.com/ https://127.0.0.1.nip.io/
    https://10.0.0.1.example.com/ https://metadatas.com/ https://a-b.example.co.uk/
    https://a_b.example.com/ https://123.example.com/ https://example.com/a;b=c
    https://example.com/~user https://example.com//double https://example.com/a|b
    https://example.com/ü https://exаmple.com/ https://example.museum/
    https://a.b.c.d.e.f.example.com/
    https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com/`),
  "https://example.com/'x'",
  `https://example.com/${'a'.repeat(8_000)}`,
]

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
