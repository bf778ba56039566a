import { sign, X509Certificate } from 'node:crypto';

/** Good for tls.test, proxy.test and 127.0.0.1, until 2120; its key opens nothing but these tests. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBcDCCARagAwIBAgIBATAKBggqhkjOPQQDAjATMREwDwYDVQQDDAh0bHMudGVz
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEzERMA8GA1UEAwwI
dGxzLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARIJmId43IAVaggA4a9
IV3p9tUJn/PY0XXs0phB5/Q4nQ5FrYLREJVyg6fb8Md+rnbk2/tHHREzRP97tusH
x8cXo1kwVzAPBgNVHRMBAf8EBTADAQH/MCUGA1UdEQQeMByCCHRscy50ZXN0ggpw
cm94eS50ZXN0hwR/AAABMB0GA1UdDgQWBBSNPf75t4FUI4JzRuXjKtGXEKxMajAK
BggqhkjOPQQDAgNIADBFAiEAnubq7POa4JwdhxaVsYFzlBiFlh6kLpwrMt7yPvVr
HmgCIGWl+a4oc3tw/kJc/f+u63s5kV+GXTZB0D0VPmdZtHmH
-----END CERTIFICATE-----`;
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmAqdZiWZxI3vdfGk
Ns9Wjz2l/81nxEXTbLquiWgJhgqhRANCAARIJmId43IAVaggA4a9IV3p9tUJn/PY
0XXs0phB5/Q4nQ5FrYLREJVyg6fb8Md+rnbk2/tHHREzRP97tusHx8cX
-----END PRIVATE KEY-----`;

/** The lengths of a certificate and of its signed part are written behind these many bytes. */
const DER_HEAD = 4;
const ALGORITHM_BYTES = 12;

/** The same certificate with another end. */
export function certificateUntil(end: Date): string {
  const { raw } = new X509Certificate(CERTIFICATE);
  const signed = Buffer.from(raw.subarray(DER_HEAD, 2 * DER_HEAD + raw.readUInt16BE(DER_HEAD + 2)));
  const time = `${end.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;
  signed.write(time, signed.indexOf('21200101000000Z'));
  const algorithm = raw.subarray(DER_HEAD + signed.length).subarray(0, ALGORITHM_BYTES);
  const signature = sign('sha256', signed, KEY);
  const bits = Buffer.from([0x03, signature.length + 1, 0]);
  const parts = Buffer.concat([signed, algorithm, bits, signature]);
  const head = Buffer.from([0x30, 0x82, 0, 0]);
  head.writeUInt16BE(parts.length, 2);
  const text = Buffer.concat([head, parts]).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
}
