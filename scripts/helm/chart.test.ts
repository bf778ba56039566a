import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { readLock } from '../package/lock.ts';
import { CHART, chartSum, renderedOf, SETS, SUM, valuesOf } from './chart.ts';

/** Fields of YAML, of any depth. One that is not there is undefined, which no test expects by mistake. */
interface Fields {
  readonly [name: string | number]: Fields;
}

interface Rendered {
  readonly kind: string;
  readonly spec: Fields;
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
}

async function rendered(set: string): Promise<Rendered[]> {
  return parseAllDocuments(await readFile(renderedOf(set), 'utf8'))
    .map((document): Rendered | null => document.toJS())
    .filter((one) => one !== null);
}

async function only(set: string, kind: string): Promise<Rendered> {
  const [one, ...others] = (await rendered(set)).filter((each) => each.kind === kind);
  if (one === undefined || others.length > 0) assert.fail(`${set} has not one ${kind}`);
  return one;
}

const container = async (set: string) =>
  (await only(set, 'StatefulSet')).spec.template?.spec?.containers?.[0];

async function setting(set: string, name: string) {
  return Object.values((await container(set))?.env ?? {}).find((one) => String(one.name) === name);
}

suite('the chart', () => {
  test('has the version of the program', async () => {
    const { version } = await readLock();
    const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));

    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  });

  test('is what was rendered: npm run helm renders it anew', async () => {
    assert.equal(await readFile(SUM, 'utf8'), await chartSum());
  });

  test('takes its own values and those of every set, and refuses what is none', async () => {
    const schema = JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8'));
    const isValid = new Ajv().compile(schema);
    for (const file of [join(CHART, 'values.yaml'), ...SETS.map(valuesOf)])
      assert.ok(isValid(parse(await readFile(file, 'utf8'))), `${file}: ${JSON.stringify(isValid.errors)}`);
    const siteRoot = 'https://tocsin.example.org';
    for (const wrong of [
      { siteRoot, replica: 2 },
      { siteRoot, image: { name: 'tocsin' } },
      { siteRoot, env: { PORT: 8000 } },
      { siteRoot, gateway: { enabled: true, name: '' } },
      { siteRoot: 'tocsin.example.org' },
      {},
    ])
      assert.ok(!isValid(wrong), JSON.stringify(wrong));
  });

  test('is a StatefulSet with either database, and each node has a volume', async () => {
    const sizes: Record<string, string> = {};
    for (const set of SETS) {
      const { spec } = await only(set, 'StatefulSet');
      sizes[set] = String(spec.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.storage);
      assert.equal(spec.replicas, set === 'nodes' ? 3 : 1);
    }
    assert.deepEqual(sizes, {
      sqlite: '5Gi',
      postgres: '2Gi',
      nodes: '2Gi',
      ingress: '20Gi',
      gateway: '5Gi',
      monitoring: '5Gi',
    });
  });

  for (const set of SETS)
    test(`asks, updates, confines and gives resources as it should, with the values of ${set}`, async () => {
      const { spec } = await only(set, 'StatefulSet');
      const pod = spec.template?.spec;
      const node = pod?.containers?.[0];
      const prefix = set === 'ingress' ? '/tocsin' : '';
      const probe = (name: string) => {
        const { httpGet, periodSeconds, failureThreshold } = node?.[name] ?? {};
        return [httpGet?.path, httpGet?.port, periodSeconds, failureThreshold];
      };
      assert.deepEqual(probe('readinessProbe'), [`${prefix}/api/v3/accepts/`, 'http', 5, 2]);
      assert.deepEqual(probe('startupProbe'), [`${prefix}/api/v3/live/`, 'http', 5, 12]);
      assert.deepEqual(probe('livenessProbe'), [`${prefix}/api/v3/live/`, 'http', 30, 4]);

      // Without a partition and `maxUnavailable`, one node at a time is replaced.
      assert.deepEqual(spec.updateStrategy, { type: 'RollingUpdate' });
      assert.equal(spec.minReadySeconds, 10);
      assert.equal(pod?.terminationGracePeriodSeconds, 45);
      assert.equal(node?.lifecycle, undefined);

      assert.equal(pod?.automountServiceAccountToken, false);
      assert.equal(pod?.securityContext?.runAsNonRoot, true);
      assert.deepEqual(pod?.securityContext?.seccompProfile, { type: 'RuntimeDefault' });
      assert.deepEqual(node?.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });

      assert.deepEqual(node?.resources, {
        requests: { cpu: '100m', memory: '192Mi' },
        limits: { memory: '512Mi' },
      });
    });

  test('has the address of its database from a secret, or no address with SQLite', async () => {
    assert.equal(await setting('sqlite', 'DATABASE_URL'), undefined);
    const reference = async (set: string) => (await setting(set, 'DATABASE_URL'))?.valueFrom?.secretKeyRef;
    assert.deepEqual(await reference('postgres'), { name: 'tocsin-database', key: 'DATABASE_URL' });
    assert.deepEqual(await reference('nodes'), { name: 'tocsin-postgres', key: 'DATABASE_URL' });
    assert.deepEqual((await only('postgres', 'Secret')).stringData, {
      DATABASE_URL: 'postgres://tocsin:secret@postgres/tocsin',
    });
    assert.ok((await rendered('nodes')).every(({ kind }) => kind !== 'Secret'));
  });

  test('gives settings, secrets, image and a file of provisioning to the program', async () => {
    const node = await container('nodes');
    assert.equal(node?.image, 'registry.example.org/tocsin:1.4');
    assert.deepEqual(node?.envFrom, [{ secretRef: { name: 'tocsin-settings' } }]);
    assert.equal((await setting('nodes', 'SMTPD_PORT'))?.value, '2525');
    assert.equal((await setting('gateway', 'PROVISION_FILE'))?.value, '/provision/tocsin.yaml');
    const { data } = await only('gateway', 'ConfigMap');
    assert.deepEqual(parse(data?.['tocsin.yaml'] ?? ''), {
      projects: [{ name: 'Alpha', owner: 'ops@example.org' }],
    });
  });

  test('bounds how many nodes are taken away, where there are several', async () => {
    assert.equal((await only('nodes', 'PodDisruptionBudget')).spec.maxUnavailable, 1);
    assert.ok((await rendered('sqlite')).every(({ kind }) => kind !== 'PodDisruptionBudget'));
  });

  test('leads the address of the site to the service, by an ingress or a gateway', async () => {
    const { spec } = await only('ingress', 'Ingress');
    assert.deepEqual(spec.tls, [{ hosts: ['ops.example.org'], secretName: 'ops-certificate' }]);
    assert.equal(spec.rules?.[0]?.host, 'ops.example.org');
    assert.equal(spec.rules?.[0]?.http?.paths?.[0]?.path, '/tocsin');
    const route = (await only('gateway', 'HTTPRoute')).spec;
    assert.deepEqual(route.parentRefs, [{ name: 'public', namespace: 'gateways' }]);
    assert.deepEqual(route.hostnames, ['tocsin.example.org']);
  });

  test('brings the alerts and dashboards that deploy has', async () => {
    const deployed = (path: string) => readFile(join(CHART, '../..', path), 'utf8');
    const rules = await only('monitoring', 'PrometheusRule');
    assert.deepEqual(rules.spec, parse(await deployed('prometheus/service.rules.yaml')));
    const maps = (await rendered('monitoring')).filter(({ kind }) => kind === 'ConfigMap');
    const dashboards = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>;
    for (const name of ['jobs', 'service'])
      assert.deepEqual(
        JSON.parse(dashboards[`tocsin-${name}.json`] ?? ''),
        JSON.parse(await deployed(`grafana/${name}.json`)),
      );
    const { endpoints } = (await only('monitoring', 'ServiceMonitor')).spec;
    assert.deepEqual(endpoints?.[0]?.authorization, {
      credentials: { name: 'tocsin-settings', key: 'METRICS_KEY' },
    });
  });
});
