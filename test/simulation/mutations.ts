/** A way to break the program that the simulation must notice. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The first seed: it saves those that pass the bug by, or find it late. */
  readonly firstSeed?: number;
  /** The length and the number of checks of the simulation, if they differ from the others. */
  readonly days?: number;
  readonly checks?: number;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'the flip is recorded outside the transaction of the status',
    file: 'src/services/check/deadlines.ts',
    find: `    await recordFlips(
      deps,
      tx,
      changes.flatMap(({ flips }) => flips),
      now,
    );
    return due.length > 0;
  });`,
    replace: `    return { due, changes };
  }).then(async (result) => {
    if (result === true) return true;
    await deps.store.transaction((tx) =>
      recordFlips(deps, tx, result.changes.flatMap(({ flips }) => flips), now),
    );
    return result.due.length > 0;
  });`,
    firstSeed: 19,
  },
  {
    name: 'a lease never runs out',
    file: 'src/domain/alert/delivery.ts',
    find: 'export const LEASE_SPAN: Micros = seconds(15);',
    replace: 'export const LEASE_SPAN: Micros = seconds(15 * 86_400);',
    firstSeed: 11,
  },
  {
    name: 'leases are not extended while a try takes long',
    file: 'src/notifier/outbox-sender.ts',
    find: 'if (old.length > 0) await this.#outbox.extend(old);',
    replace: '',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'a message is sent while an earlier one is open',
    file: 'src/storage/sql/deliveries.ts',
    find: 'and earlier.id < deliveries.id and earlier.next_attempt_at is not null)`',
    replace: 'and earlier.id < deliveries.id and earlier.next_attempt_at is not null and 1 = 0)`',
    firstSeed: 17,
  },
  {
    name: 'an edit does not recompute the deadline',
    file: 'src/domain/check/check-edit.ts',
    find: 'deadlineAt: deadlineOf(edited)',
    replace: 'deadlineAt: check.deadlineAt',
    firstSeed: 11,
  },
  {
    name: 'a ping does not recompute the deadline',
    file: 'src/domain/ping/transition.ts',
    find: 'return { check: withDeadline(check, deadlineOf(check)), flips };',
    replace: 'return { check: withDeadline(check, check.deadlineAt ?? deadlineOf(check)), flips };',
    firstSeed: 59,
  },
  {
    name: 'the deadline is not looked at anew under the lock',
    file: 'src/domain/ping/transition.ts',
    find: 'if (deadline === null || deadline > now) return { check: withDeadline(check, deadline), flips: [] };',
    replace: 'if (deadline === null) return { check: withDeadline(check, deadline), flips: [] };',
    firstSeed: 59,
  },
  {
    name: 'a ping is acknowledged before it is committed',
    file: 'src/services/ping/ping-writer.ts',
    find: 'const outcomes = await this.#ingestAndRelease(batch);',
    replace: `for (const { resolve } of batch) resolve('recorded');
      const outcomes = await this.#ingestAndRelease(batch);`,
    firstSeed: 11,
  },
  {
    name: 'a ping is written while an earlier one of its check is',
    file: 'src/services/ping/ping-writer.ts',
    find: 'if (this.#targetsUnderWay.has(keyOf(ping))) return false;',
    replace: '',
    firstSeed: 10,
  },
  {
    name: 'a check is remembered although somebody else has changed it',
    file: 'src/storage/sql/known-checks.ts',
    find: 'if (!isSame(this.#trueAt, revision)) this.#checks.clear();\n    this.#trueAt = revision;',
    replace: 'this.#trueAt = revision;',
    firstSeed: 11,
  },
  {
    name: 'a late ping hides the outage before it',
    file: 'src/domain/ping/transition.ts',
    find: 'const missed = missDeadline(before, now);',
    replace: 'const missed = { check: before, flips: [] };',
    firstSeed: 17,
  },
  {
    name: 'a success that comes late ends an outage that lasts',
    file: 'src/domain/ping/transition.ts',
    find: 'return deadline === null || deadline > now;',
    replace: "return signal === 'success' || deadline === null || deadline > now;",
    firstSeed: 30,
    days: 1,
    checks: 6,
  },
  {
    name: 'a failure that comes late rings for what has long recovered',
    file: 'src/domain/ping/transition.ts',
    find: 'if (lastPingAt !== null && at <= lastPingAt) return false;',
    replace: "if (signal !== 'fail' && lastPingAt !== null && at <= lastPingAt) return false;",
    firstSeed: 17,
  },
  {
    name: 'a ping that comes late counts as of now',
    file: 'src/domain/ping/incoming-ping.ts',
    find: 'receivePing(check, signal, incoming.rid, now, at, verdict)',
    replace: 'receivePing(check, signal, incoming.rid, now, now, verdict)',
    firstSeed: 58,
  },
  {
    name: 'a start leaves a paused check paused',
    file: 'src/domain/ping/transition.ts',
    find: "check.status === 'paused' ? resume(check, now) : { check, flips: [] };",
    replace: '{ check, flips: [] };',
    firstSeed: 17,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody notices that nobody watched',
    file: 'src/services/core/liveness.ts',
    find: 'const excused = await tx.checks.excuseOverdue(since ?? 0, until, MIN_EXCUSE);',
    replace: 'const excused = 0;',
    firstSeed: 8,
    days: 1,
    checks: 6,
  },
  {
    name: 'a failed message is not tried again',
    file: 'src/domain/alert/delivery.ts',
    find: "const isForGood = outcome.kind === 'permanent' ||",
    replace: "const isForGood = true || outcome.kind === 'permanent' ||",
    firstSeed: 6,
    days: 1,
    checks: 6,
  },
  {
    name: 'a message counts as delivered before it is sent',
    file: 'src/notifier/outbox-sender.ts',
    find: 'await this.#record({ row, channel, outcome, exchange, startedAt, story });',
    replace:
      'await this.#record({ row, channel, outcome: { kind: "delivered" }, exchange, startedAt, story });',
    firstSeed: 6,
    days: 1,
    checks: 6,
  },
  {
    name: 'what is withheld from a channel that is off leaves no trace',
    file: 'src/services/core/flips.ts',
    find: 'deliveriesOf(flip, channels.get(flip.checkId) ?? [], deps.random.uuid, now)',
    replace:
      'deliveriesOf(flip, (channels.get(flip.checkId) ?? []).filter((one) => one.offReason === null), deps.random.uuid, now)',
    firstSeed: 6,
    days: 1,
    checks: 6,
  },
  {
    name: 'a channel that is switched on stays off',
    file: 'src/services/alert/channels.ts',
    find: 'const on: Channel = { ...channel, verified, off: null };',
    replace: 'const on: Channel = { ...channel, verified };',
    firstSeed: 6,
    days: 1,
    checks: 6,
  },
  {
    name: 'progress moves the start of the run',
    file: 'src/domain/ping/transition.ts',
    find: 'isOwn ? { lastAliveAt: at } : newRun(rid, at)',
    replace: 'isOwn ? { lastStartAt: at } : newRun(rid, at)',
    days: 1,
    checks: 6,
  },
  {
    name: 'a run that took too long rings again after the success of another',
    file: 'src/domain/ping/transition.ts',
    find: 'runReported: check.runReported || isRunOverdue(ended, at)',
    replace: 'runReported: false',
    days: 1,
    checks: 6,
  },
  {
    name: 'a ping that changes no status does not write progress and remarks',
    file: 'src/storage/sql/checks.ts',
    find: 'const columns = UNINDEXED.changed(before, after);',
    replace: `const { lastAliveAt, lastFlags, badCount } = before;
      const columns = UNINDEXED.changed(before, { ...after, lastAliveAt, lastFlags, badCount });`,
    days: 1,
    checks: 6,
  },
  {
    name: 'a ping that comes after the limit of its run hides that it took too long',
    file: 'src/domain/ping/transition.ts',
    find: 'const missed = missDeadline(before, now);',
    replace:
      'const missed = isRunOverdue(before, now) ? { check: before, flips: [] } : missDeadline(before, now);',
    firstSeed: 9,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody asks again about an outage that is held',
    file: 'src/domain/policy/plan.ts',
    find: 'const wakeAt = least([shut, ...others].map(({ at }) => at));',
    replace: 'const wakeAt = null;',
    firstSeed: 16,
  },
  {
    name: 'the time of the next decision moves without the messages of this one',
    file: 'src/services/core/outages.ts',
    find: 'this.#messages.push(...messages);',
    replace: "if (cause.kind !== 'timer') this.#messages.push(...messages);",
    firstSeed: 16,
  },
  {
    name: 'repeats are not counted',
    file: 'src/domain/policy/plan.ts',
    find: 'outage: { ...repeated.outage, againAt, againCount },',
    replace: 'outage: { ...repeated.outage, againAt },',
    firstSeed: 10,
    days: 3,
    checks: 10,
  },
  {
    name: 'an acknowledgement is read before the outage is held',
    file: 'src/services/core/outages.ts',
    find: `  return deps.store.transaction(async (tx) => {
    const due = await tx.outages.lockDue(now, MAX_AT_ONCE);`,
    replace: `  const due = await deps.store.transaction((tx) => tx.outages.lockDue(now, MAX_AT_ONCE));
  return deps.store.transaction(async (tx) => {`,
    firstSeed: 305,
    days: 1,
    checks: 6,
  },
  {
    name: 'the end is not told to those whom a step has told',
    file: 'src/domain/policy/recipients.ts',
    find: "...(told?.byStep === true ? (['step'] as const) : []),",
    replace: '',
    firstSeed: 57,
    days: 1,
    checks: 6,
  },
  {
    name: 'the first answer in a project does not make it one in which a plan is asked',
    file: 'src/services/alert/answers.ts',
    find: 'await tx.projects.usePolicies(actor.projectId);',
    replace: '',
    firstSeed: 14,
    days: 1,
    checks: 6,
  },
  {
    name: 'a button of an outage that is over acts on the next one',
    file: 'src/services/alert/answers.ts',
    find: `  const endedAt = await endOfOutage(tx, check, flipId);
  if (endedAt !== null) return { kind: 'over', endedAt };
  const outage`,
    replace: '  const outage',
    firstSeed: 16,
    days: 1,
    checks: 6,
  },
  {
    name: 'looking at a button presses it',
    file: 'src/http/buttons/routes.ts',
    find: 'const shown = await lookAtButton(deps, refOf(request), name);',
    replace: `await pressButton(deps, refOf(request), { person: null, remoteAddr: null }, name);
          const shown = await lookAtButton(deps, refOf(request), name);`,
    firstSeed: 9,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody asks again about a check that waits for no other any more',
    file: 'src/services/check/check-links.ts',
    find: 'await tx.outages.wake([check.id], clock.now());',
    replace: '',
    firstSeed: 302,
    days: 1,
    checks: 6,
  },
  {
    name: 'a check is told while another one that it waits for is down',
    file: 'src/domain/policy/gates.ts',
    find: 'if (parents.some(({ isDown }) => isDown)) {',
    replace: 'if (parents.every(({ isDown }) => isDown)) {',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'the hours of a policy hold nothing back',
    file: 'src/domain/policy/gates.ts',
    find: 'return at === null ? OPEN : { isOpen: false, at };',
    replace: 'return OPEN;',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'what a message about many tells goes out by itself, too',
    file: 'src/services/core/together.ts',
    find: 'messageId, nextAttemptAt: NEVER_DUE, why }',
    replace: 'messageId, why }',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'a quiet time holds no message back',
    file: 'src/domain/policy/gates.ts',
    find: 'quiet === null || now < quiet.from ? OPEN : openFrom(quiet.until, now),',
    replace: 'quiet === null || now >= quiet.from ? OPEN : OPEN,',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody asks again about what a quiet time has held back',
    file: 'src/domain/policy/gates.ts',
    find: 'quiet === null || now < quiet.from ? OPEN : openFrom(quiet.until, now),',
    replace: 'quiet === null || now < quiet.from ? OPEN : { isOpen: now >= quiet.until, at: null },',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'a deadline in a quiet time is not put off',
    file: 'src/domain/check/status.ts',
    find: 'return quiet !== null && isWithin(quiet, deadline) ? quiet.until + limit : deadline;',
    replace: 'return quiet !== null && limit < 0 ? quiet.until + limit : deadline;',
    firstSeed: 57,
    days: 1,
    checks: 6,
  },
  {
    name: 'an outage is told after one bad run too few',
    file: 'src/domain/policy/bad-runs.ts',
    find: 'if (badCount >= badRuns) return since;',
    replace: 'if (badCount + 1 >= badRuns) return since;',
    firstSeed: 115,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody notes that the ends of runs of a check that is down are to be planned',
    file: 'src/storage/sql/heard.ts',
    find: '[[dialect.list(checkIds)]],',
    replace: '[[dialect.list([])]],',
    firstSeed: 9,
    days: 1,
    checks: 6,
  },
  {
    name: 'the end of a quiet time rings again for what was told',
    file: 'src/domain/policy/plan.ts',
    find: 'if (at > input.now) return { outage, messages: [], next: at };',
    replace: "if (at > input.now && outage.heldBy !== 'quiet') return { outage, messages: [], next: at };",
    firstSeed: 57,
    days: 2,
    checks: 8,
  },
  {
    name: 'who is assigned is looked up at each step, and not when the outage is told first',
    file: 'src/domain/policy/plan.ts',
    find: 'const isMeant = outage.toldAt === null || isWaiting;',
    replace: 'const isMeant = true;',
    firstSeed: 56,
    days: 1,
    checks: 6,
  },
  {
    name: 'a run stands for one that was missed before it',
    file: 'src/domain/check/occurrences.ts',
    find: 'times.last({ after, until: begin }, 1)[0] ?? times.last({ after, until: end }, 1)[0] ?? null;',
    replace: 'times.last({ after, until: begin }, 2)[0] ?? times.last({ after, until: end }, 2)[0] ?? null;',
    days: 1,
    checks: 6,
  },
  {
    name: 'a recovery is told after one good run too few',
    file: 'src/domain/policy/plan.ts',
    find: 'return goodCount < policy.goodRuns',
    replace: 'return goodCount + 1 < policy.goodRuns',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'a group passes a message on to a member outside of its hours',
    file: 'src/services/alert/passed-on.ts',
    find: "if (!isHeld || (status === 'up' && isStateful(member))) return 'told';",
    replace: "if (status !== 'up' || !isHeld || isStateful(member)) return 'told';",
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'the end is told to a channel that still waits for the beginning',
    file: 'src/domain/policy/recipients.ts',
    find: 'if (isWaiting && told === undefined) return [];',
    replace: '',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'a channel is told later of what began outside of its hours, though it does not want that',
    file: 'src/domain/policy/plan.ts',
    find: "const isDropped = isWaiting && recipient.outsideHours === 'drop' && !isNamedNow;",
    replace: 'const isDropped = false && !isNamedNow;',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'the hours of an integration do not hold back the end',
    file: 'src/domain/policy/plan.ts',
    find: 'const heldFor = recipient.isStateful ? null : waitsUntil(input, recipient, isWaiting);',
    replace: 'const heldFor = recipient.isStateful ? waitsUntil(input, recipient, isWaiting) : null;',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'runs count as missed whose deadline passed while nobody watched',
    file: 'src/services/ping/ingest.ts',
    find: 'const blind = await tx.liveness.blindSpansSince(since);',
    replace: 'const blind = [];',
    days: 1,
    checks: 6,
  },
  {
    name: 'failures are kept in a transaction after that which removes their pings',
    file: 'src/services/ping/pruning.ts',
    find: `    };
    await this.#deps.store.transaction(work, ALONE);
    return true;`,
    replace: `      kept = await tx.keptRuns.db.all(\`delete from kept_runs where check_id in (\${due}) returning *\`);
    };
    let kept = [];
    await this.#deps.store.transaction(work, ALONE);
    await this.#deps.store.transaction(async (tx) => {
      for (const row of kept) {
        const names = Object.keys(row);
        const values = names.map((_, index) => '$' + (index + 1));
        await tx.keptRuns.db.send(\`insert into kept_runs (\${names}) values (\${values})\`, [Object.values(row)]);
      }
    }, ALONE);
    return true;`,
    firstSeed: 10,
    days: 1,
    checks: 6,
  },
  {
    name: 'what passes while a run is within its limit is listed as missed',
    file: 'src/domain/check/occurrences.ts',
    find: "this.#add('skipped', Math.max(after, from), end);",
    replace: "this.#add('missed', Math.max(after, from), end);",
    firstSeed: 1,
  },
  {
    name: 'a quiet time is applied after the deadlines of the same tick',
    file: 'src/domain/check/quiet-time.ts',
    find: 'return span === null ? null : span.from - COVERED_AHEAD;',
    replace: 'return span === null ? null : span.from + 1;',
    firstSeed: 399,
    days: 1,
    checks: 6,
  },
  {
    name: 'the quiet time of a check is remembered after it was stopped',
    file: 'src/storage/sql/checks.ts',
    find: 'return unknown.length === 0 ? known : [...known, ...(await this.#findMany(unknown, areDeclared))];',
    replace: `const held = [...known, ...(await this.#findMany(unknown, areDeclared))];
    this.#known.quiet ??= new Map();
    return held.map((check) => {
      const before = this.#known.quiet.get(check.uuid) ?? check;
      const last = (before.quietUntilAt ?? 0) > (check.quietUntilAt ?? 0) ? before : check;
      this.#known.quiet.set(check.uuid, last);
      return { ...check, quietFromAt: last.quietFromAt, quietUntilAt: last.quietUntilAt };
    });`,
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody asks again about an outage that waits for runs to be missed',
    file: 'src/domain/policy/gates.ts',
    find: '? openFrom(enoughBadRunsAt(policy, check, { reason, since: beganAt }), now)',
    replace: '? { ...openFrom(enoughBadRunsAt(policy, check, { reason, since: beganAt }), now), at: null }',
    firstSeed: 115,
    days: 1,
    checks: 6,
  },
  {
    name: 'runs that were missed before a failure are not counted',
    file: 'src/domain/ping/transition.ts',
    find: 'return check.badCount + missedBefore(check, startOfEnded(check, rid, at, now), at) + 1;',
    replace: 'return check.badCount + 1;',
    days: 1,
    checks: 6,
  },
  {
    name: 'the end is held by a quiet time',
    file: 'src/domain/policy/plan.ts',
    find: 'const heldFor = recipient.isStateful ? null : waitsUntil(input, recipient, isWaiting);',
    replace: `const { quiet } = input.check;
    const isQuiet = quiet !== null && quiet.from <= input.now && input.now < quiet.until;
    const heldFor = isQuiet ? quiet.until : waitsUntil(input, recipient, isWaiting);`,
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'the end is held by a snooze',
    file: 'src/domain/policy/plan.ts',
    find: 'const heldFor = recipient.isStateful ? null : waitsUntil(input, recipient, isWaiting);',
    replace: `const { snoozedUntilAt } = input.check;
    const isSnoozed = snoozedUntilAt !== null && input.now < snoozedUntilAt;
    const heldFor = isSnoozed ? snoozedUntilAt : waitsUntil(input, recipient, isWaiting);`,
    firstSeed: 57,
    days: 1,
    checks: 6,
  },
  {
    name: 'repeats are made up after a hold, all at once',
    file: 'src/domain/policy/plan.ts',
    find: 'const againAt = input.now - at <= KEEPS_RHYTHM ? at : input.now;',
    replace: 'const againAt = (outage.againAt ?? toldAt) + again;',
    firstSeed: 22,
    days: 1,
    checks: 6,
  },
  {
    name: 'a repeat goes to one of those who were told',
    file: 'src/domain/policy/plan.ts',
    find: 'const messages = to.map(',
    replace: 'const messages = to.slice(0, 1).map(',
    firstSeed: 9,
    days: 1,
    checks: 6,
  },
  {
    name: 'a repeat goes to those whose last message is still open, too',
    file: 'src/domain/policy/plan.ts',
    find: '(told) => told?.isOpen === false',
    replace: '() => true',
    firstSeed: 120,
    days: 1,
    checks: 6,
  },
  {
    name: 'a further failure is not told',
    file: 'src/domain/policy/plan.ts',
    find: "const isFurther = cause.kind === 'result' && cause.isBad && policy.eachFailure",
    replace: "const isFurther = cause.kind === 'result' && !cause.isBad && policy.eachFailure",
    firstSeed: 102,
    days: 1,
    checks: 6,
  },
  {
    name: 'the rows of a repeat are written, and the time of the next one is not moved',
    file: 'src/services/core/outages.ts',
    find: 'this.#asked.set(outage.flipId, { outage, waits });',
    replace: `const { againAt, wakeAt } = this.#facts.outage ?? outage;
    const isRepeated = messages.some(({ event }) => event === 'again');
    this.#asked.set(outage.flipId, { outage: isRepeated ? { ...outage, againAt, wakeAt } : outage, waits });`,
    firstSeed: 45,
    days: 1,
    checks: 6,
  },
  {
    name: 'nobody asks again about open outages when rules change',
    file: 'src/storage/sql/policies.ts',
    find: 'update outages set wake_at = $2 where id in (',
    replace: 'update outages set wake_at = wake_at where $2 > 0 and id in (',
    firstSeed: 31,
    days: 1,
    checks: 6,
  },
  {
    name: 'a message about many is settled by its first row',
    file: 'src/storage/sql/deliveries.ts',
    find: 'where message_id = $1 and next_attempt_at is not null returning',
    replace: `where id = (select min(id) from deliveries where message_id = $1 and next_attempt_at is not null) returning`,
    firstSeed: 109,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'one message more than the bound of its channel goes out by itself',
    file: 'src/domain/alert/together.ts',
    find: 'return Math.max(0, above - recent',
    replace: 'return Math.max(0, above + 1 - recent',
    firstSeed: 109,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'messages are told together that come long after each other',
    file: 'src/domain/alert/together.ts',
    find: 'recent.filter((at) => at > now - within).length',
    replace: 'recent.length',
    firstSeed: 109,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'a check does not wait for a late one that it depends on',
    file: 'src/domain/policy/gates.ts',
    find: '? [beganAt + PARENTS_SETTLE, ...late] : [];',
    replace: '? [beganAt + PARENTS_SETTLE] : [];',
    firstSeed: 28,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'a check does not wait until those that it depends on can have gone down, too',
    file: 'src/domain/policy/gates.ts',
    find: '? [beganAt + PARENTS_SETTLE, ...late] : [];',
    replace: '? late : [];',
    firstSeed: 109,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'a check is told as soon as what it depends on is up',
    file: 'src/domain/policy/gates.ts',
    find: '[upAt + CHILD_RECOVERS]',
    replace: '[upAt]',
    firstSeed: 28,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'a check is not woken when the one that it waits for is deleted',
    file: 'src/services/check/checks.ts',
    find: 'await tx.checkParents.wakeChildren([id], deps.clock.now());',
    replace: '',
    firstSeed: 28,
    days: 0.5,
    checks: 6,
  },
  {
    name: 'a check is not woken when the one that it waits for is deleted so that it can be restored',
    file: 'src/services/check/check-deletion.ts',
    find: 'await tx.checkParents.wakeChildren([id], now);',
    replace: '',
    firstSeed: 28,
    days: 1,
    checks: 6,
  },
  {
    name: 'whether a plan says who is told is known from the first change of the check',
    file: 'src/storage/sql/flips.ts',
    find: 'return recorded.map((flip) => ({ ...flip, isPlanned: Boolean(flip.isPlanned) }));',
    replace: `const known: Map<number, boolean> = (Reflect.get(globalThis, 'planned') as never) ?? new Map();
    Reflect.set(globalThis, 'planned', known);
    return recorded.map((flip) => {
      if (!known.has(flip.checkId)) known.set(flip.checkId, Boolean(flip.isPlanned));
      return { ...flip, isPlanned: known.get(flip.checkId) === true };
    });`,
    firstSeed: 14,
    days: 0.5,
    checks: 6,
  },
];
