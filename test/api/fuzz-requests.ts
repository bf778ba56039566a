import fc from 'fast-check';

/** A hostile client's knowledge: its own project, and identifiers of somebody else's. */
export interface Known {
  readonly keys: readonly string[];
  readonly readOnlyKeys: readonly string[];
  /** UUIDs and unique keys of checks, own and foreign. */
  readonly uuids: readonly string[];
  readonly uniqueKeys: readonly string[];
  /** UUIDs and names of channels, own and foreign. */
  readonly channels: readonly string[];
  readonly projects: readonly string[];
  readonly badgeKeys: readonly string[];
  readonly signatures: readonly string[];
  readonly checkBadgeKeys: readonly string[];
  readonly metricsKey: string;
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The path is well formed and its endpoint promises CORS headers on every answer. */
  readonly hasCors: boolean;
}

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];
// Further methods of Node's parser; the router may not know them.
const RARE_METHODS = ['PROPFIND', 'QUERY', 'LOCK', 'PURGE', 'M-SEARCH', 'SOURCE'];

const YEAR_SECONDS = 31_536_000;
const LONG = 100_000;

/** Texts that have broken parsers, databases and log files before. */
const awkwardText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '*',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '\ufeff',
    '\u2028',
    '\r\n',
    "'; drop table checks; --",
    '$1',
    '%00',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    'Infinity',
    '-0',
    '1e999',
    '👩‍👩‍👧'.repeat(20),
    'é'.repeat(100),
    '😀'.repeat(100),
    '😀'.repeat(101),
    'a'.repeat(100),
    'a'.repeat(101),
    'a'.repeat(500),
    'a '.repeat(251),
    'x'.repeat(LONG),
    '\u0301'.repeat(1000),
    '../../etc/passwd',
    '{{7*7}}<script>',
  ),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
);

const awkwardNumber = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    59,
    60,
    61,
    YEAR_SECONDS,
    YEAR_SECONDS + 1,
    60.5,
    1e21,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    5e-324,
  ),
  fc.integer(),
  fc.double({ noNaN: true }),
);

const wrongValue = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  awkwardNumber,
  awkwardText,
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
);

const schedules = fc.oneof(
  fc.constantFrom(
    '* * * * *',
    '*/5 * * * *',
    '0 0 29 2 *',
    '0 0 31 2 *',
    '@daily',
    '0 0 0 1 1 *',
    'daily',
    'Mon..Fri *-*-* 02:00:00 Europe/Riga',
    '2019-01-01',
    '*-*-* *:*:0/0',
    '99999999999999999999 * * * *',
    '*/0 * * * *',
    '0-59/59 * * * *',
    '* * * * MON#5',
    '0 0 L * *',
    '*-02-30',
    '12:34:56.789012',
    '~ ~ ~ ~ ~',
    '1,'.repeat(49),
  ),
  fc
    .array(
      fc.constantFrom('*', '*/7', '0', '59', '60', '1-5', '5-1', 'L', 'MON', 'JAN', '-', ',', '#', '/'),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(' ')),
);

const timezones = fc.constantFrom(
  'UTC',
  'Europe/Riga',
  'US/Pacific',
  'Factory',
  'utc',
  '__proto__',
  '+01:00',
  '',
);

const duration = fc.oneof(fc.integer({ min: 60, max: YEAR_SECONDS }), awkwardNumber);

/** A body that is nearly right: mostly known fields, mostly of the right type. */
function checkInput(known: Known): fc.Arbitrary<Record<string, unknown>> {
  const nearly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    fc.oneof({ arbitrary: right, weight: 25 }, { arbitrary: wrongValue, weight: 1 });
  const text = nearly(awkwardText);
  const flag = nearly(fc.boolean());
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    name: nearly(fc.oneof(fc.constantFrom('backup', 'report', ''), awkwardText)),
    slug: nearly(fc.oneof(fc.constantFrom('backup', 'report', '', 'UPPER', 'a\n'), awkwardText)),
    tags: nearly(fc.oneof(fc.constantFrom('db prod', 'db', ' a  b ', '__proto__'), awkwardText)),
    desc: text,
    timeout: nearly(duration),
    grace: nearly(duration),
    schedule: nearly(schedules),
    tz: nearly(timezones),
    manual_resume: flag,
    methods: nearly(fc.constantFrom('', 'POST', 'GET')),
    channels: nearly(
      fc.oneof(
        fc.constantFrom('', '*', ',', '*,*', ...known.channels),
        fc.array(fc.constantFrom(...known.channels), { maxLength: 4 }).map((parts) => parts.join(',')),
        awkwardText,
      ),
    ),
    unique: nearly(
      fc.array(fc.constantFrom('name', 'slug', 'tags', 'timeout', 'grace', 'desc', '__proto__'), {
        maxLength: 4,
      }),
    ),
    subject: text,
    subject_fail: text,
    start_kw: text,
    success_kw: text,
    failure_kw: text,
    filter_subject: flag,
    filter_body: flag,
    filter_http_body: flag,
    filter_default_fail: flag,
    api_key: fc.oneof(fc.constantFrom(...known.keys, ...known.readOnlyKeys), awkwardText, wrongValue),
  };
  // Fields that refer to other records deserve more tries than the rest.
  const pairs = Object.entries(fields).map(([name, value]) => ({
    arbitrary: value.map((one) => [name, one] as const),
    weight: name === 'channels' || name === 'unique' ? 5 : 1,
  }));
  return fc
    .array(fc.oneof(...pairs), { minLength: 1, maxLength: 4 })
    .map((chosen) => Object.fromEntries(chosen));
}

/** Text that is JSON only almost, or JSON that only a parser written in haste would trust. */
const oddJson = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'null',
    '[]',
    '0',
    '"text"',
    'NaN',
    '{"timeout": NaN}',
    '{"timeout": Infinity}',
    '{"timeout": 1e999}',
    `{"timeout": ${'9'.repeat(400)}}`,
    '{"timeout": -0}',
    '{"name": "\\ud800"}',
    '{"name": "a\\u0000b"}',
    '{"name": "a\u0000b"}',
    '{"__proto__": {"name": "polluted"}, "name": "x"}',
    '{"constructor": {"prototype": {"name": "polluted"}}}',
    '{"__proto__": null}',
    '{"hasOwnProperty": 1, "name": "x"}',
    '{"name": "one", "name": "two"}',
    '{"unique": ["__proto__", "constructor"]}',
    '{"name": "x"',
    "{'name': 'x'}",
    '{"name": "x",}',
    'name=x&timeout=60',
    '\ufeff{"name": "x"}',
    '['.repeat(20_000),
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    `{"name": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `{"desc": "${'x'.repeat(LONG)}"}`,
    `{"${'k'.repeat(LONG)}": 1}`,
    `{"api_key": "${'\\u0000'.repeat(32)}"}`,
    `{"api_key": "${'\\ud800'.repeat(32)}"}`,
    `{"api_key": "hcw_${'\\u0000'.repeat(28)}"}`,
    '{"api_key": 11111111111111111111111111111111}',
    'error=late&mark_disabled=1',
    'error=%00%ff&MessageStatus=failed',
  ),
  fc.json(),
  fc.json().map((text) => text.slice(0, -1)),
);

function bodies(known: Known): fc.Arbitrary<Buffer | null> {
  const fromText = (text: string) => Buffer.from(text, 'utf8');
  const valid = checkInput(known).map((input) => fromText(JSON.stringify(input)));
  return fc.oneof(
    { arbitrary: fc.constant(null), weight: 2 },
    { arbitrary: valid, weight: 14 },
    { arbitrary: oddJson.map(fromText), weight: 3 },
    { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
    // Bytes that are no UTF-8, in the middle of what would otherwise be fine.
    {
      arbitrary: fc
        .tuple(valid, fc.nat(), fc.constantFrom(0xff, 0xc0, 0x80, 0xed, 0x00, 0xfe))
        .map(([bytes, at, byte]) => {
          const damaged = Buffer.from(bytes);
          damaged[at % damaged.length] = byte;
          return damaged;
        }),
      weight: 2,
    },
    { arbitrary: oddJson.map((text) => Buffer.from(text, 'utf16le')), weight: 1 },
  );
}

/** Text that a header may hold on the wire: Latin-1 without control characters. */
const headerText = fc
  .oneof(
    fc.constantFrom('', ' ', '*/*', '"', ';', ',', '=', '\xff'.repeat(40), 'a'.repeat(4000), '%s%n', '😀'),
    fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 60,
    }),
  )
  .map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'));

function presentedKeys(known: Known): fc.Arbitrary<string> {
  const own = fc.constantFrom(...known.keys, ...known.readOnlyKeys);
  return fc.oneof(
    { arbitrary: fc.constantFrom(...known.keys), weight: 40 },
    { arbitrary: fc.constantFrom(...known.readOnlyKeys), weight: 5 },
    { arbitrary: own.map((key) => key.toUpperCase()), weight: 1 },
    { arbitrary: own.map((key) => ` ${key}`), weight: 1 },
    { arbitrary: own.map((key) => `${key}, ${key}`), weight: 1 },
    { arbitrary: own.map((key) => `${key.slice(0, -1)}\xff`), weight: 1 },
    { arbitrary: fc.constantFrom('', 'X'.repeat(32), "' or 1=1 --".padEnd(32), '%'.repeat(32)), weight: 1 },
    { arbitrary: headerText, weight: 1 },
  );
}

function headers(known: Known): fc.Arbitrary<Record<string, string>> {
  const forwarding = fc.oneof(
    fc.constantFrom(
      '127.0.0.1',
      '::1',
      'unknown',
      '1.2.3.4, 5.6.7.8',
      '999.999.999.999',
      ',,,',
      '::ffff:1.2.3.4%eth0',
    ),
    headerText,
  );
  const optional = fc.record(
    {
      'content-type': fc.oneof(
        fc.constantFrom(
          'application/json',
          'application/json; charset=utf-16',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'text/plain',
          'garbage',
          'a/b/c',
          '/',
          'application/json; charset=',
        ),
        headerText,
      ),
      'content-encoding': fc.oneof(
        fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'zstd, gzip'),
        headerText,
      ),
      accept: headerText,
      'accept-encoding': headerText,
      authorization: fc.oneof(
        fc.constantFrom(...known.readOnlyKeys, ...known.keys).map((key) => `Bearer ${key}`),
        headerText,
      ),
      'x-metrics-key': fc.oneof(fc.constant(known.metricsKey), headerText),
      'x-forwarded-for': forwarding,
      'x-forwarded-proto': forwarding,
      'x-forwarded-host': forwarding,
      forwarded: forwarding,
      'x-real-ip': forwarding,
      'x-request-id': headerText,
      'x-http-method-override': fc.constantFrom('DELETE', 'GET'),
      cookie: headerText,
      origin: headerText,
      'if-none-match': headerText,
      range: fc.constantFrom('bytes=0-1', 'bytes=9-1', 'x'),
      'accept-version': headerText,
    },
    { requiredKeys: [] },
  );
  const key = fc.option(presentedKeys(known), { freq: 25, nil: null });
  return fc
    .tuple(key, fc.oneof({ arbitrary: fc.constant({}), weight: 1 }, { arbitrary: optional, weight: 2 }))
    .map(([presented, others]) => ({ ...others, ...(presented !== null && { 'x-api-key': presented }) }));
}

const queryNames = fc.constantFrom('slug', 'tag', 'start', 'end', 'seconds', 'api_key', 'x', '__proto__', '');
const queryValues = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '+1',
    '%2B1',
    '1.5',
    '1e3',
    '10000000000',
    '10000000001',
    '31536000',
    'NaN',
  ),
  fc.constantFrom(
    'backup',
    'db',
    'db%20prod',
    '%00',
    'a%00b',
    '%',
    '%zz',
    '%c3',
    '%ff%fe',
    '%ed%a0%80',
    '%F0%9F%98%80',
  ),
  fc.constantFrom('9'.repeat(400), 'a'.repeat(5000), '%00'.repeat(100), '+', '&', '=', ';', '#'),
  awkwardText.map((text) => encodeURIComponent(text.toWellFormed())),
);
const queries = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  {
    arbitrary: fc
      .array(fc.tuple(queryNames, queryValues), { minLength: 1, maxLength: 4 })
      .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
    weight: 3,
  },
  { arbitrary: fc.constantFrom('?', '??', '?&&&', '?=', '?slug', '?slug[]=x', '?tag[0]=x', '?%'), weight: 1 },
);

const oddSegment = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%',
    '%zz',
    '%00',
    '%2f',
    '%2e%2e',
    '%c3',
    '%ff',
    '%25',
    '*',
    '-1',
    '0',
    '1',
    '01',
    '9'.repeat(30),
    '9'.repeat(400),
    '0x10',
    '1e3',
    'null',
    '__proto__',
    'constructor',
    ':check',
    'a'.repeat(40),
    '_'.repeat(40),
    'a'.repeat(9_999),
    'a'.repeat(12_000),
    '%E2%98%83'.repeat(40),
    '%E2%98%83',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

function paths(known: Known): fc.Arbitrary<{ path: string; hasCors: boolean }> {
  const uuid = fc.oneof(
    { arbitrary: fc.constantFrom(...known.uuids), weight: 12 },
    { arbitrary: fc.uuid(), weight: 1 },
  );
  const either = fc.oneof(uuid, fc.constantFrom(...known.uniqueKeys));
  const n = fc.constantFrom('0', '1', '2', '01', '3', '99', '9'.repeat(19), '9'.repeat(30), '9'.repeat(400));
  const base = fc.constantFrom('/api/v1', '/api/v2', '/api/v3');
  const format = fc.constantFrom('svg', 'json', 'shields');
  const signed = fc.tuple(
    fc.constantFrom(...known.badgeKeys),
    fc.constantFrom(...known.signatures, 'AAAAAAAA'),
    fc.constantFrom('', '-2', '-3'),
  );
  const withCors = fc.oneof(
    { arbitrary: base.map((start) => `${start}/checks/`), weight: 9 },
    { arbitrary: fc.tuple(base, either).map(([start, id]) => `${start}/checks/${id}`), weight: 6 },
    {
      arbitrary: fc
        .tuple(base, uuid, fc.constantFrom('pause', 'resume', 'pings/'))
        .map(([start, id, what]) => `${start}/checks/${id}/${what}`),
      weight: 4,
    },
    {
      arbitrary: fc
        .tuple(base, uuid, n)
        .map(([start, id, number]) => `${start}/checks/${id}/pings/${number}/body`),
      weight: 2,
    },
    ...['flips', 'runs'].map((what) => ({
      arbitrary: fc.tuple(base, either).map(([start, id]) => `${start}/checks/${id}/${what}/`),
      weight: 2,
    })),
    { arbitrary: base.map((start) => `${start}/channels/`), weight: 1 },
    { arbitrary: base.map((start) => `${start}/badges/`), weight: 1 },
    { arbitrary: base.map((start) => `${start}/project/`), weight: 1 },
    {
      arbitrary: fc
        .tuple(signed, format, fc.constantFrom('db', 'a%252Fb', '%2500', '%25', '%25zz', 'x'.repeat(3000)))
        .map(([[key, signature, states], ext, tag]) => `/badge/${key}/${signature}${states}/${tag}.${ext}`),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(signed, format)
        .map(([[key, signature, states], ext]) => `/badge/${key}/${signature}${states}.${ext}`),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom('2', '3', '0', '9'.repeat(40)),
          fc.constantFrom(...known.checkBadgeKeys),
          format,
        )
        .map(([states, key, ext]) => `/b/${states}/${key}.${ext}`),
      weight: 1,
    },
  );
  const project = fc.constantFrom(...known.projects);
  const withoutCors = fc.oneof(
    fc.tuple(base, fc.constantFrom('/status/', '/metrics/', '/bounces/')).map((parts) => parts.join('')),
    fc.tuple(base, fc.uuid()).map(([start, id]) => `${start}/notifications/${id}/status`),
    fc
      .tuple(
        project,
        fc.constantFrom('metrics', 'checks/metrics'),
        fc.constantFrom(...known.readOnlyKeys, ...known.keys),
      )
      .map(([id, what, key]) => `/projects/${id}/${what}/${key}`),
    project.map((id) => `/projects/${id}/metrics/`),
    base.map((start) => `${start}/checks`),
    fc.tuple(base, uuid).map(([start, id]) => `${start}/checks/${id}/flips`),
  );
  const wellFormed = fc.oneof(
    { arbitrary: withCors.map((path) => ({ path, hasCors: true })), weight: 6 },
    { arbitrary: withoutCors.map((path) => ({ path, hasCors: false })), weight: 2 },
  );
  const spoiled = fc
    .tuple(wellFormed, oddSegment, fc.nat(), fc.constantFrom('replace', 'insert', 'append', 'case'))
    .map(([{ path }, segment, at, how]) => ({ path: spoil(path, segment, at, how), hasCors: false }));
  return fc.oneof({ arbitrary: wellFormed, weight: 5 }, { arbitrary: spoiled, weight: 1 });
}

function spoil(
  path: string,
  segment: string,
  at: number,
  how: 'replace' | 'insert' | 'append' | 'case',
): string {
  const segments = path.slice(1).split('/');
  const index = at % segments.length;
  if (how === 'case') return path.toUpperCase();
  if (how === 'append') return `${path}/${segment}`;
  const spoiled = segments.toSpliced(index, how === 'replace' ? 1 : 0, segment);
  return `/${spoiled.join('/')}`;
}

/** The methods of the endpoint. */
function fittingMethods(path: string): readonly string[] {
  if (/\/(pause|resume|notifications\/[^/]+\/status|bounces\/)$/.test(path)) return ['POST'];
  if (path.endsWith('/checks/')) return ['GET', 'POST', 'POST'];
  return /\/checks\/[^/]+$/.test(path) ? ['GET', 'POST', 'POST', 'DELETE'] : ['GET'];
}

/** Any request that a client, careless or hostile, might send. */
export function fuzzRequests(known: Known): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      oddMethod: fc.oneof(
        { arbitrary: fc.constant(null), weight: 15 },
        { arbitrary: fc.constantFrom(...METHODS), weight: 4 },
        { arbitrary: fc.constantFrom(...RARE_METHODS), weight: 1 },
      ),
      choice: fc.nat(),
      address: paths(known),
      query: queries,
      headers: headers(known),
      body: bodies(known),
    })
    .map(({ oddMethod, choice, address, query, headers: given, body }) => {
      const fitting = fittingMethods(address.path);
      const method = oddMethod ?? fitting[choice % fitting.length] ?? 'GET';
      return {
        method,
        path: address.path + query,
        headers: given,
        body,
        hasCors: address.hasCors && METHODS.includes(method),
      };
    });
}

/** Bytes for a socket. Most are not HTTP, or not quite. */
export function rawRequests(known: Known): fc.Arbitrary<Buffer> {
  const [key = ''] = known.keys;
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const line = fc.oneof(
    fc.constantFrom(
      'GET /api/v3/checks/ HTTP/1.1',
      'POST /api/v3/checks/ HTTP/1.1',
      'POST /api/v3/checks/ HTTP/1.0',
      'GET /api/v3/checks/ HTTP/0.9',
      'GET /api/v3/checks/ HTTP/9.9',
      'GET /api/v3/checks/',
      'GET  /api/v3/checks/  HTTP/1.1',
      'GET //api/v3/checks/ HTTP/1.1',
      'GET /api/../api/v3/./checks/ HTTP/1.1',
      'GET http://other.example/api/v3/checks/ HTTP/1.1',
      'GET * HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'CONNECT example.org:443 HTTP/1.1',
      'GET /api/v3/checks/?slug=\x00 HTTP/1.1',
      'GET /api/v3/checks/?slug=\xff\xfe HTTP/1.1',
      'GET /api/v3/checks/\xe9 HTTP/1.1',
      'GET /%GG%%% HTTP/1.1',
      'GET \\api\\v3 HTTP/1.1',
      'PRI * HTTP/2.0',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'FOO /api/v3/checks/ HTTP/1.1',
      `GET /${'a'.repeat(20_000)} HTTP/1.1`,
      `${'G'.repeat(5_000)} / HTTP/1.1`,
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  );
  const header = fc.oneof(
    fc.constantFrom(
      'Host: localhost',
      'Host: a\r\nHost: b',
      'Host:',
      `X-Api-Key: ${key}`,
      `X-Api-Key: ${key}\r\nX-Api-Key: ${key}`,
      `X-Api-Key : ${key}`,
      `X-Api-Key: ${key}\r\n folded`,
      'X-Api-Key: a\0b',
      'Content-Length: 0',
      'Content-Length: -1',
      'Content-Length: 5',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: 99999999999999999999',
      'Content-Length: 2621441',
      'Content-Length: abc',
      'Content-Length: +5',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Transfer-Encoding: identity',
      'Transfer-Encoding: gzip, chunked',
      'Transfer-Encoding: xchunked',
      'Transfer-Encoding:\tchunked',
      'Expect: 100-continue',
      'Expect: something',
      'Upgrade: websocket\r\nConnection: Upgrade',
      'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      'Connection: close',
      'Connection: keep-alive, close, x',
      ': empty',
      'no colon',
      `X-Long: ${'x'.repeat(20_000)}`,
      Array.from({ length: 2_500 }, (_, index) => `X-${index}: ${index}`).join('\r\n'),
    ),
    headerText.map((text) => `X-Odd: ${text}`),
  );
  const body = fc.constantFrom(
    '',
    '{}',
    '{"name": "raw"}',
    '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
    '5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
    'zz\r\nhello\r\n0\r\n\r\n',
    '-5\r\nhello\r\n0\r\n\r\n',
    'FFFFFFFFFFFFFFFFF\r\nx',
    '5hello',
    '5;ext="\r\n',
    `5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    '5\r\nhel',
    '2\nhi\n0\n\n',
    'GET /api/v3/status/ HTTP/1.1\r\nHost: x\r\n\r\n',
    '\0\0\0\0',
  );
  const message = fc
    .tuple(
      line,
      fc.array(header, { maxLength: 5 }),
      fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
      body,
    )
    .map(([first, lines, end, rest]) => latin1(`${[first, ...lines].join(end)}${end}${end}${rest}`));
  return fc.oneof(
    { arbitrary: message, weight: 8 },
    { arbitrary: message.map((bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))), weight: 1 },
    {
      arbitrary: fc.array(message, { minLength: 2, maxLength: 6 }).map((parts) => Buffer.concat(parts)),
      weight: 1,
    },
    { arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
  );
}
