/** Prints the secret key in the given file, which is made where there is none. */
import { systemRandom } from '../../src/lib/random.ts';
import { secretKeyInFile } from '../../src/storage/secret-key.ts';

process.stdout.write(await secretKeyInFile(process.argv[2] ?? '', systemRandom));
