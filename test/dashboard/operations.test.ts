import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_ACTS } from '../../src/acts/index.ts';
import { ALL_VIEWS } from '../../src/views/index.ts';
import { MAX_SHOWN } from '../../src/wire/dashboard/limits.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenMember, givenTeam } from './team.ts';

test('no input has the name of a place, because pages give both in one object', () => {
  for (const [name, { input = {} }] of [...ALL_VIEWS, ...ALL_ACTS])
    for (const reserved of ['project', 'check', 'shown'])
      assert.ok(!Object.hasOwn(input, reserved), `${name}: ${reserved}`);
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('an act answers with the views that the page shows, as they are after it', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, { slug: 'backup', status: 'up' });
    const shown = [
      { view: 'editorChoices', project: project.uuid },
      { view: 'slugAdvice', project: project.uuid, input: { name: '', slug: 'backup' } },
    ];

    const reply = await browser.post(`/checks/${check.uuid}/do/pauseCheck`, { shown });

    assert.equal(reply.status, 200);
    const { answer, marks, shown: views } = reply.json;
    assert.equal(answer, null);
    assert.equal(marks, app().node.http.live.marksOf(project.id));
    assert.deepEqual(
      views[0].room,
      (await browser.get(`/projects/${project.uuid}/read/editorChoices`)).json.room,
    );
    assert.equal(views[1].takenBy, check.name);
  });

  test('a view that the person may not see, that does not exist or whose input is wrong is null after an act', async () => {
    const { project } = await givenTeam(app());
    const { browser } = await givenMember(app(), project, 'member');
    const other = await givenTeam(app());
    const foreign = await app().givenCheck(other.project);
    const check = await app().givenCheck(project, { status: 'up' });
    const shown = [
      { view: 'editorChoices', project: other.project.uuid },
      { view: 'editorChoices', project: 'nonsense' },
      { view: 'editorChoices' },
      { view: 'checkPage', check: foreign.uuid },
      { view: 'checkPage', check: foreign.uniqueKey },
      { view: 'slugAdvice', project: project.uuid, input: { name: 7 } },
      { view: 'toString', project: project.uuid },
    ];

    const reply = await browser.post(`/checks/${check.uuid}/do/pauseCheck`, { shown });

    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.json.shown,
      shown.map(() => null),
    );
    // The input of the sixth is wrong.
    assert.deepEqual(reply.json.gone, [0, 1, 2, 3, 4, 6]);
  });

  test('an act that is refused reads nothing, and a wrong list of views does nothing', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    const path = `/checks/${check.uuid}/do`;
    const one = { view: 'editorChoices', project: project.uuid };

    const refused = await browser.post(`${path}/resumeCheck`, { shown: [one] });
    assert.deepEqual([refused.status, refused.json.code], [409, 'check_not_paused']);
    for (const shown of [{}, 'x', [7], [null], [{ project: 'x' }], Array(MAX_SHOWN + 1).fill(one)]) {
      const wrong = await browser.post(`${path}/pauseCheck`, { shown });
      assert.equal(wrong.status, 400, JSON.stringify(shown));
    }
    assert.equal((await app().deps.store.checks.byUuid(check.uuid))?.status, 'up');
  });

  test('the marks of a project change with its checks and its integrations, and with nothing else', async () => {
    const { project, browser } = await givenTeam(app());
    const other = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    const { live } = app().node.http;
    const before = live.marksOf(project.id);

    await app().givenCheck(other.project);
    assert.equal(live.marksOf(project.id), before);
    await browser.post(`/checks/${check.uuid}/do/pauseCheck`);
    const paused = live.marksOf(project.id);
    assert.notEqual(paused, before);
    await app().givenChannel(project, {});
    assert.notEqual(live.marksOf(project.id), paused);
  });
});
