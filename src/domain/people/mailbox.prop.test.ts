import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { mailboxOf } from './mailbox.ts';

const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const unicodeLabel = fc.constantFrom('bücher', 'пример', '例え', 'ελλάδα');
const domain = fc.array(fc.oneof(label, unicodeLabel), { minLength: 1, maxLength: 3 }).map((labels) =>
  // A last label of digits would be read as a part of an IPv4 address.
  [...labels, 'org'].join('.'),
);

/** Texts that reach the same mailbox as the address. */
function spellings(local: string, of: string): fc.Arbitrary<string> {
  const capitals = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((marks) => [...text].map((one, n) => (marks[n] ? one.toUpperCase() : one)).join(''));
  const wide = (text: string) =>
    text.replace(/[a-z0-9]/g, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0));
  const dots = fc.constantFrom('.', '。', '．', '｡');
  const before = fc
    .tuple(
      capitals(local),
      fc.nat(local.length),
      fc.constantFrom('', '.'),
      fc.constantFrom('', '+', '+a.b+c'),
    )
    .map(([text, at, dot, tag]) => text.slice(0, at) + dot + text.slice(at) + tag);
  const after = fc
    .tuple(
      fc.constantFrom(of, wide(of), new URL(`http://${of}`).hostname).chain(capitals),
      dots,
      fc.oneof(fc.constant(''), dots),
    )
    .map(([text, dot, end]) => text.replaceAll('.', dot) + end);
  return fc.tuple(before, after).map(([name, host]) => `${name}@${host}`);
}

suite('a mailbox', () => {
  test('is the same however its address is spelt', () => {
    const written = fc
      .tuple(label, domain)
      .chain(([local, of]) => fc.tuple(fc.constant(`${local}@${of}`), spellings(local, of)));
    fc.assert(
      fc.property(written, ([plain, spelt]) => {
        assert.equal(mailboxOf(spelt), mailboxOf(plain));
      }),
    );
  });

  test('is another one for another name or another domain', () => {
    const address = fc.tuple(label, label).map(([local, of]) => `${local}@${of}.org`);
    fc.assert(
      fc.property(address, address, (one, other) => {
        assert.equal(mailboxOf(one) === mailboxOf(other), one === other);
      }),
    );
  });

  test('of a mailbox is itself', () => {
    fc.assert(
      fc.property(label, domain, (local, of) => {
        const mailbox = mailboxOf(`${local}@${of}`);
        assert.equal(mailboxOf(mailbox), mailbox);
      }),
    );
  });

  test('is found for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(typeof mailboxOf(text), 'string');
      }),
    );
  });

  for (const [text, mailbox] of [
    ['a@example.org.', 'a@example.org'],
    ['a@example。org', 'a@example.org'],
    ['a@example．org', 'a@example.org'],
    ['a@example｡org｡', 'a@example.org'],
    [' A.b+c@EXAMPLE.org ', 'ab@example.org'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@no domain', 'a@no domain'],
  ] as const) {
    test(`of ${text} is ${mailbox}`, () => {
      assert.equal(mailboxOf(text), mailbox);
    });
  }
});
