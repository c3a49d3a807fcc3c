// Opens a model with Netron: node read_with_netron.mjs FOLDER MODEL, where FOLDER holds Netron's modules.
import * as fs from 'fs/promises';
import * as path from 'path';
import * as url from 'url';

const [, , folder, file] = process.argv;
const load = (id) => import(url.pathToFileURL(path.join(folder, `${id}.js`)));
const view = await load('view');
const base = await load('base');

class Host {
    get environment() { return () => null; }
    get view() { return null; }
    window = { addEventListener() {} };
    document = {};
    async require(id) { return load(id.replace('./', '')); }
    async request(name, encoding) {
        const data = await fs.readFile(path.join(folder, name), encoding === 'utf-8' ? 'utf-8' : null);
        return encoding === 'utf-8' ? data : new base.BinaryStream(data);
    }
    exception(error) { throw error; }
    event() {}
    async worker() { return null; }
}

const host = new Host();
const bytes = await fs.readFile(file);
const context = {
    identifier: path.basename(file), name: path.basename(file), host, stream: new base.BinaryStream(bytes), entries: new Map(),
    request: (name, encoding) => host.request(name, encoding), require: (id) => host.require(id), asset: (name) => host.request(name, 'utf-8'),
    error: (error) => { throw error; }, exception: (error) => { throw error; }, on() {}, metadata: new Map(),
};
const service = new view.ModelFactoryService(host);
const model = await service.open(context);
const graph = (model.modules || model.graphs)[0];
console.log(JSON.stringify({ format: model.format, nodes: graph.nodes.map((n) => [n.name, n.type.name, n.attributes.length]), functions: (model.functions || []).length }));
