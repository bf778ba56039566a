import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  codeBlock,
  codeSpan,
  defuseMarkdown,
  escapeByEntities,
  escapeMarkdown,
  shortFencedBlock,
} from './markup.ts';

suite('text among Markdown', () => {
  test('signs of Markdown are taken literally', () => {
    assert.equal(
      escapeMarkdown('a *b* _c_ `d` [e](f) ~~g~~'),
      'a \\*b\\* \\_c\\_ \\`d\\` \\[e\\](f) \\~\\~g\\~\\~',
    );
    assert.equal(escapeMarkdown('# a\n> b\n - c - d'), '\\# a\n\\> b\n \\- c - d');
  });

  test('where only entities can be written, signs become entities', () => {
    assert.equal(
      escapeByEntities('*a* [b](c) `d` ~~e~~'),
      '&#42;a&#42; &#91;b&#93;(c) &#96;d&#96; &#126;~e&#126;~',
    );
    assert.equal(escapeByEntities('# a\n- b'), '&#35; a\n&#45; b');
    assert.equal(escapeByEntities('&lt; :tada: $$x$$'), '&#38;lt; &#58;tada: &#36;$x&#36;$');
  });

  test('addresses stay as they are where signs become entities', () => {
    const address = 'https://wiki.example.org/a_b?c=d&e=f#g~h';

    assert.equal(escapeByEntities(address), address);
  });

  test('where nothing can be escaped, signs are parted by what nobody sees', () => {
    assert.equal(defuseMarkdown('*a* [b](c)'), '\u034f*a\u034f* [b]\u034f(c)');
    assert.equal(defuseMarkdown('> a'), '\u034f> a');
  });

  for (const [name, write] of Object.entries({ escapeMarkdown, escapeByEntities, defuseMarkdown })) {
    test(`nobody is called by a name in the text, and no tag is made of it: ${name}`, () => {
      const text = write('@all @**all** <@U1> <!channel> <font color="red">');

      assert.doesNotMatch(text, /(?<!\\)@(?:\w|\*)|<[@!f]/);
    });
  }

  test('an address of a mailbox stays whole where it calls nobody', () => {
    assert.equal(defuseMarkdown('root@example.org'), 'root@example.org');
    assert.equal(escapeMarkdown('root@example.org'), 'root@example.org');
  });

  test('code cannot end its own quotation', () => {
    assert.equal(codeSpan('a`b'), "`a'b`");
    assert.equal(codeBlock('a ``` b'), '````\na ``` b\n````');
    assert.equal(codeBlock('a ````` b ```'), '``````\na ````` b ```\n``````');
    assert.equal(codeBlock('a `b` c'), '```\na `b` c\n```');
    const parted = shortFencedBlock('a ```` b `` c');
    assert.equal(parted.replaceAll('\u034f', ''), '```\na ```` b `` c\n```');
    assert.equal(parted.split('```').length, 3, 'nothing ends the block before its end');
    assert.equal(shortFencedBlock(''), '');
    assert.equal(codeBlock('a'), '```\na\n```');
    assert.equal(codeBlock(''), '');
  });
});
