import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsubscribeToken } from '../../src/services/alert/channel-links.ts';
import { type ChannelOverrides, type Reply, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

/** A page that loads nothing, runs nothing, is framed by nobody and kept by nobody. */
function assertPage(reply: Reply, status: number, heading: string): void {
  const { headers, text } = reply;
  assert.deepEqual(
    {
      status: reply.status,
      type: headers['content-type'],
      policy: headers['content-security-policy'],
      cache: headers['cache-control'],
      sniffing: headers['x-content-type-options'],
      frames: headers['x-frame-options'],
      referrer: headers['referrer-policy'],
      heading: /<h1>(.*)<\/h1>/.exec(text)?.[1],
    },
    {
      status,
      type: 'text/html; charset=utf-8',
      policy: "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      cache: 'no-store',
      sniffing: 'nosniff',
      frames: 'DENY',
      referrer: 'same-origin',
      heading,
    },
  );
  assert.match(text, /^<!doctype html><html lang="en">/);
  assert.doesNotMatch(text, /<script|<style|<link|<img|\son\w+=|style=/i);
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function fixture(overrides: ChannelOverrides = {}) {
    const { project } = await app().givenProject();
    const channel = await app().givenChannel(project, overrides);
    const token = unsubscribeToken(app().deps, channel);
    const link = `/integrations/${channel.uuid}/unsub/${token}/`;
    const isOff = async () => (await app().deps.store.channels.byUuid(channel.uuid))?.off !== null;
    return { project, channel, token, link, isOff };
  }

  test('opening the link shows a button and changes nothing', async () => {
    const { link, isOff } = await fixture();

    const reply = await app().request('GET', link);

    assertPage(reply, 200, 'Stop these messages?');
    assert.match(reply.text, /<form method="post"><button type="submit">Unsubscribe<\/button><\/form>/);
    assert.equal(await isOff(), false);
  });

  test('the button switches the channel off', async () => {
    const { link, isOff } = await fixture();

    const reply = await app().request('POST', link);

    assertPage(reply, 200, 'Done: no more messages will be sent to this address.');
    assert.doesNotMatch(reply.text, /<form/);
    assert.equal(await isOff(), true);
  });

  for (const [name, type] of [
    ['a form', 'application/x-www-form-urlencoded'],
    ['several parts', 'multipart/form-data; boundary=b'],
  ] as const) {
    test(`the one click of a mail program, sent as ${name}, switches the channel off`, async () => {
      const { link, isOff } = await fixture();
      const body = type.startsWith('multipart')
        ? '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
        : 'List-Unsubscribe=One-Click';

      const reply = await app().request('POST', link, { body, headers: { 'content-type': type } });

      assert.equal(reply.status, 200);
      assert.equal(await isOff(), true);
    });
  }

  test('unsubscribing again is no fault, and does not switch the channel on', async () => {
    const { link, isOff } = await fixture({ isOff: true });

    assert.equal((await app().request('GET', link)).status, 200);
    assert.equal((await app().request('POST', link)).status, 200);
    assert.equal(await isOff(), true);
  });

  test('a wrong token is refused and changes nothing', async () => {
    const { channel, token, isOff } = await fixture();
    const other = await fixture();
    const wrong = [
      other.token,
      token.slice(0, -1),
      `${token}0`,
      `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`,
      '0',
    ];

    for (const one of wrong) {
      for (const method of ['GET', 'POST']) {
        const reply = await app().request(method, `/integrations/${channel.uuid}/unsub/${one}/`);

        assertPage(reply, 404, 'This link is not right.');
        assert.doesNotMatch(reply.text, /<form/);
      }
    }
    assert.equal(await isOff(), false);
  });

  test('the right token of a channel that does not exist is refused', async () => {
    const token = unsubscribeToken(app().deps, { uuid: NOWHERE });

    const reply = await app().request('POST', `/integrations/${NOWHERE}/unsub/${token}/`);

    assertPage(reply, 404, 'This link is not right.');
  });

  test('the right token of a channel that sends no mail is refused and changes nothing', async () => {
    const { link, isOff } = await fixture({
      kind: 'slack',
      settings: { url: 'https://hooks.example.org/a' },
    });

    for (const method of ['GET', 'POST']) {
      const reply = await app().request(method, link);

      assertPage(reply, 404, 'This link is not right.');
      assert.doesNotMatch(reply.text, /<form/);
    }
    assert.equal(await isOff(), false);
  });

  test('another channel of the project stays on', async () => {
    const { project, link } = await fixture();
    const second = await app().givenChannel(project);

    await app().request('POST', link);

    assert.equal((await app().deps.store.channels.byUuid(second.uuid))?.off, null);
  });

  test('other methods are refused and change nothing', async () => {
    const { link, isOff } = await fixture();

    for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await app().request(method, link);

      assert.deepEqual([reply.status, reply.headers.allow], [405, 'GET, POST'], method);
    }
    assert.equal(await isOff(), false);
  });

  test('the page says nothing of the channel, and repeats nothing of the address', async () => {
    const name = '<script>alert(1)</script>&"';
    const { channel, token } = await fixture({ name });
    const folder = `/integrations/${channel.uuid}/unsub`;

    const replies = [
      await app().request('GET', `${folder}/${token}/?next=<b>bold</b>`),
      await app().request('GET', `${folder}/wrong-token/?next=<b>bold</b>`),
      await app().request('POST', `${folder}/${token}/`, { body: '<i>' }),
    ];

    for (const { text } of replies) {
      for (const secret of ['alert', 'alice', 'bold', '<i>', 'wrong-token', token, channel.uuid])
        assert.ok(!text.includes(secret), secret);
    }
  });

  test('what is not spelled like a link is not found', async () => {
    const { channel, token, isOff } = await fixture();

    for (const path of [
      `/integrations/${channel.uuid}/unsub/${token}`,
      `/integrations/${channel.uuid}/unsub//`,
      `/integrations/${channel.uuid}/unsub/%3Cb%3E/`,
      `/integrations/${channel.uuid.toUpperCase()}/unsub/${token}/`,
      `/integrations/nobody/unsub/${token}/`,
    ]) {
      assert.equal((await app().request('POST', path)).status, 404, path);
    }
    assert.equal(await isOff(), false);
  });
});
