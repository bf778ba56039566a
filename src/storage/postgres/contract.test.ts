import { storeContract } from '../contract.test-suite.ts';

storeContract('postgres');
