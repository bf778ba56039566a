import { CURL } from '../../../src/domain/schedule/crontab-command.ts';

/** Languages and programs for which there are ready lines. */
export const SNIPPET_KINDS = [
  'crontab',
  'bash',
  'python',
  'node',
  'go',
  'powershell',
  'systemd',
  'kubernetes',
  'github',
] as const;

export type SnippetKind = (typeof SNIPPET_KINDS)[number];

/** Further facts that the lines send. */
export interface SnippetOptions {
  readonly start: boolean;
  readonly exitStatus: boolean;
  readonly output: boolean;
}

interface Source extends SnippetOptions {
  readonly url: string;
  /** The time part of a crontab line. Null if none fits the schedule. */
  readonly crontab: string | null;
}

/** Ready lines with the address of the check. */
export function snippetOf(kind: SnippetKind, source: Source): string {
  return MAKERS[kind](source);
}

/** The address of the end: with the exit status, or success alone. */
const endUrl = ({ url, exitStatus }: Source, status: string) => (exitStatus ? `${url}/${status}` : url);

const MAKERS: Readonly<Record<SnippetKind, (source: Source) => string>> = {
  crontab: (source) => {
    const { url, crontab, start, exitStatus, output } = source;
    const time = crontab ?? '* * * * *';
    const begin = start ? `${CURL} ${url}/start; ` : '';
    const job = output ? 'out=$(/path/to/job.sh 2>&1)' : '/path/to/job.sh';
    const body = output ? ' --data-raw "$out"' : '';
    const join = exitStatus ? ';' : ' &&';
    const hint = crontab === null ? '# Set the time to that of your job.\n' : '';
    return `${hint}${time} ${begin}${job}${join} ${CURL}${body} ${endUrl(source, '$?')}`;
  },
  bash: (source) => {
    const { url, start, exitStatus, output } = source;
    return [
      '#!/bin/bash',
      ...(start ? [`${CURL} ${url}/start`] : []),
      output ? 'out=$(/path/to/job.sh 2>&1)' : '/path/to/job.sh',
      ...(exitStatus ? ['status=$?'] : []),
      `${exitStatus ? '' : '[ $? -eq 0 ] && '}${CURL}${output ? ' --data-raw "$out"' : ''} ${endUrl(source, '$status')}`,
    ].join('\n');
  },
  python: (source) => {
    const { url, start, exitStatus, output } = source;
    const data = output ? ', data=job.stdout' : '';
    return [
      'import subprocess',
      'import urllib.request',
      '',
      `URL = "${url}"`,
      '',
      ...(start ? ['urllib.request.urlopen(URL + "/start", timeout=10)'] : []),
      `job = subprocess.run(["/path/to/job"]${output ? ', stdout=subprocess.PIPE, stderr=subprocess.STDOUT' : ''})`,
      exitStatus
        ? `urllib.request.urlopen(f"{URL}/{job.returncode}"${data}, timeout=10)`
        : `if job.returncode == 0:\n    urllib.request.urlopen(URL${data}, timeout=10)`,
    ].join('\n');
  },
  node: (source) => {
    const { url, start, exitStatus, output } = source;
    const body = output ? ', { method: "POST", body: job.stdout }' : '';
    return [
      'import { spawnSync } from "node:child_process";',
      '',
      `const url = "${url}";`,
      ...(start ? ['await fetch(url + "/start");'] : []),
      `const job = spawnSync("/path/to/job"${output ? '' : ', { stdio: "inherit" }'});`,
      exitStatus
        ? `await fetch(\`\${url}/\${job.status}\`${body});`
        : `if (job.status === 0) await fetch(url${body});`,
    ].join('\n');
  },
  go: (source) => {
    const { url, start, exitStatus, output } = source;
    const send = (address: string) =>
      output ? `http.Post(${address}, "text/plain", bytes.NewReader(out))` : `http.Get(${address})`;
    return [
      'package main',
      '',
      'import (',
      ...(output ? ['\t"bytes"'] : []),
      ...(exitStatus ? ['\t"fmt"'] : []),
      '\t"net/http"',
      '\t"os/exec"',
      ')',
      '',
      `const url = "${url}"`,
      '',
      'func main() {',
      ...(start ? ['\thttp.Get(url + "/start")'] : []),
      '\tjob := exec.Command("/path/to/job")',
      output ? '\tout, err := job.CombinedOutput()' : '\terr := job.Run()',
      ...(exitStatus
        ? ['\t_ = err', `\t${send('fmt.Sprintf("%s/%d", url, job.ProcessState.ExitCode())')}`]
        : ['\tif err == nil {', `\t\t${send('url')}`, '\t}']),
      '}',
    ].join('\n');
  },
  powershell: (source) => {
    const { url, start, exitStatus, output } = source;
    const send = (address: string) =>
      `Invoke-RestMethod ${address}${output ? ' -Method Post -Body ($out | Out-String)' : ''} -TimeoutSec 10`;
    return [
      `$url = "${url}"`,
      ...(start ? ['Invoke-RestMethod "$url/start" -TimeoutSec 10'] : []),
      `${output ? '$out = ' : ''}C:\\path\\to\\job.ps1${output ? ' 2>&1' : ''}`,
      exitStatus ? send('"$url/$LASTEXITCODE"') : `if ($?) { ${send('$url')} }`,
    ].join('\n');
  },
  systemd: (source) => {
    const { url, start, exitStatus } = source;
    return [
      '[Service]',
      'Type=oneshot',
      ...(start ? [`ExecStartPre=-/usr/bin/${CURL} ${url}/start`] : []),
      'ExecStart=/path/to/job.sh',
      exitStatus
        ? `ExecStopPost=-/bin/sh -c '${CURL} ${url}/$$EXIT_STATUS'`
        : `ExecStartPost=-/usr/bin/${CURL} ${url}`,
    ].join('\n');
  },
  kubernetes: (source) => {
    const { url, crontab, start, exitStatus, output } = source;
    return [
      'apiVersion: batch/v1',
      'kind: CronJob',
      'metadata: { name: job }',
      'spec:',
      `  schedule: "${crontab ?? '0 * * * *'}"`,
      '  jobTemplate:',
      '    spec:',
      '      template:',
      '        spec:',
      '          restartPolicy: Never',
      '          containers:',
      '            - name: job',
      '              image: your/image',
      '              command:',
      '                - /bin/sh',
      '                - -c',
      '                - |',
      ...(start ? [`                  ${CURL} ${url}/start`] : []),
      `                  ${output ? 'out=$(/path/to/job.sh 2>&1)' : '/path/to/job.sh'}${exitStatus ? '; status=$?' : ' &&'}`,
      `                  ${CURL}${output ? ' --data-raw "$out"' : ''} ${endUrl(source, '$status')}`,
    ].join('\n');
  },
  github: (source) => {
    const { url, start, exitStatus } = source;
    return [
      'steps:',
      ...(start ? [`  - run: ${CURL} ${url}/start`] : []),
      '  - run: ./job.sh',
      ...(exitStatus
        ? [
            '  - if: success()',
            `    run: ${CURL} ${url}`,
            '  - if: failure()',
            `    run: ${CURL} ${url}/fail`,
          ]
        : [`  - run: ${CURL} ${url}`]),
    ].join('\n');
  },
};
