CREATE TABLE "rocpd_metadata" (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO "rocpd_metadata" VALUES
(1, 'schema_version', '3'),
(2, 'uuid', ''),
(3, 'guid', '00000000');
CREATE TABLE "rocpd_string" (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
INSERT INTO "rocpd_string" VALUES
(1, '00000000', 'aten::copy_'),
(2, '00000000', 'MARKER_CORE_RANGE_API'),
(3, '00000000', 'hipMemcpyAsync'),
(4, '00000000', 'HIP_RUNTIME_API_EXT'),
(5, '00000000', 'model_forward'),
(6, '00000000', 'hipGraphLaunch'),
(7, '00000000', 'aten::to'),
(8, '00000000', 'hipMemcpy'),
(9, '00000000', 'aten::topk'),
(10, '00000000', 'KERNEL_DISPATCH'),
(11, '00000000', 'MEMORY_COPY_HOST_TO_DEVICE'),
(12, '00000000', 'MEMORY_COPY'),
(13, '00000000', 'MEMORY_COPY_DEVICE_TO_HOST');
CREATE TABLE "rocpd_info_node" (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT);
INSERT INTO "rocpd_info_node" VALUES
(1, '00000000', 1, 'm', 'host');
CREATE TABLE "rocpd_info_process" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT);
INSERT INTO "rocpd_info_process" VALUES
(1000, '00000000', 1, 1, 1000, 'python3 train.py');
CREATE TABLE "rocpd_info_thread" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
INSERT INTO "rocpd_info_thread" VALUES
(1000, '00000000', 1, 1, 1000, 1000, NULL);
CREATE TABLE "rocpd_info_agent" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, name TEXT, model_name TEXT, product_name TEXT, extdata TEXT);
INSERT INTO "rocpd_info_agent" VALUES
(0, '00000000', 1, 1000, 'CPU', 0, 'EPYC', NULL, NULL, '{}'),
(4, '00000000', 1, 1000, 'GPU', 4, 'gfx942', NULL, 'AMD Instinct MI300X', '{}');
CREATE TABLE "rocpd_info_kernel_symbol" (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
INSERT INTO "rocpd_info_kernel_symbol" VALUES
(1, '00000000', 'vectorized_elementwise_kernel', 'vectorized_elementwise_kernel'),
(2, '00000000', 'cutlass_80_tensorop_f16_s16816gemm', 'cutlass_80_tensorop_f16_s16816gemm'),
(3, '00000000', 'softmax_warp_forward', 'softmax_warp_forward'),
(4, '00000000', 'ampere_sgemm_128x64_tn', 'ampere_sgemm_128x64_tn'),
(5, '00000000', 'dropout_kernel', 'dropout_kernel');
CREATE TABLE "rocpd_event" (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER);
INSERT INTO "rocpd_event" VALUES
(1, '00000000', 2, 0, 0, 0),
(2, '00000000', 4, 1, 0, 1),
(3, '00000000', 2, 0, 0, 0),
(4, '00000000', 4, 2, 0, 2),
(5, '00000000', 2, 0, 0, 0),
(6, '00000000', 4, 3, 0, 3),
(7, '00000000', 2, 0, 0, 0),
(8, '00000000', 2, 0, 0, 0),
(9, '00000000', 4, 4, 0, 4),
(10, '00000000', 2, 0, 0, 0),
(11, '00000000', 4, 5, 0, 5),
(12, '00000000', 2, 0, 0, 0),
(13, '00000000', 4, 6, 0, 6),
(14, '00000000', 2, 0, 0, 0),
(15, '00000000', 2, 0, 0, 0),
(16, '00000000', 4, 7, 0, 7),
(17, '00000000', 2, 0, 0, 0),
(18, '00000000', 4, 8, 0, 8),
(19, '00000000', 2, 0, 0, 0),
(20, '00000000', 4, 9, 0, 9),
(21, '00000000', 2, 0, 0, 0),
(22, '00000000', 10, 2, 0, 2),
(23, '00000000', 10, 2, 0, 2),
(24, '00000000', 10, 2, 0, 2),
(25, '00000000', 10, 2, 0, 2),
(26, '00000000', 10, 2, 0, 2),
(27, '00000000', 10, 5, 0, 5),
(28, '00000000', 10, 5, 0, 5),
(29, '00000000', 10, 5, 0, 5),
(30, '00000000', 10, 5, 0, 5),
(31, '00000000', 10, 5, 0, 5),
(32, '00000000', 10, 8, 0, 8),
(33, '00000000', 10, 8, 0, 8),
(34, '00000000', 10, 8, 0, 8),
(35, '00000000', 10, 8, 0, 8),
(36, '00000000', 10, 8, 0, 8),
(37, '00000000', 12, 1, 0, 1),
(38, '00000000', 12, 3, 0, 3),
(39, '00000000', 12, 4, 0, 4),
(40, '00000000', 12, 6, 0, 6),
(41, '00000000', 12, 7, 0, 7),
(42, '00000000', 12, 9, 0, 9);
CREATE TABLE "rocpd_region" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
INSERT INTO "rocpd_region" VALUES
(1, '00000000', 1, 1000, 1000, 1000033872, 1000040801, 1, 1),
(2, '00000000', 1, 1000, 1000, 1000036434, 1000040073, 3, 2),
(3, '00000000', 1, 1000, 1000, 1000040801, 1000052733, 5, 3),
(4, '00000000', 1, 1000, 1000, 1000043933, 1000050861, 6, 4),
(5, '00000000', 1, 1000, 1000, 1000052733, 1000082988, 7, 5),
(6, '00000000', 1, 1000, 1000, 1000055449, 1000081720, 8, 6),
(7, '00000000', 1, 1000, 1000, 1000100393, 1000108341, 9, 7),
(8, '00000000', 1, 1000, 1000, 1000139474, 1000147055, 1, 8),
(9, '00000000', 1, 1000, 1000, 1000141884, 1000145924, 3, 9),
(10, '00000000', 1, 1000, 1000, 1000147055, 1000164202, 5, 10),
(11, '00000000', 1, 1000, 1000, 1000150012, 1000161694, 6, 11),
(12, '00000000', 1, 1000, 1000, 1000164202, 1000192840, 7, 12),
(13, '00000000', 1, 1000, 1000, 1000167104, 1000191491, 8, 13),
(14, '00000000', 1, 1000, 1000, 1000204026, 1000209465, 9, 14),
(15, '00000000', 1, 1000, 1000, 1000238760, 1000249665, 1, 15),
(16, '00000000', 1, 1000, 1000, 1000242918, 1000248275, 3, 16),
(17, '00000000', 1, 1000, 1000, 1000249665, 1000265129, 5, 17),
(18, '00000000', 1, 1000, 1000, 1000253560, 1000262800, 6, 18),
(19, '00000000', 1, 1000, 1000, 1000265129, 1000294823, 7, 19),
(20, '00000000', 1, 1000, 1000, 1000267324, 1000293828, 8, 20),
(21, '00000000', 1, 1000, 1000, 1000310077, 1000317803, 9, 21);
CREATE TABLE "rocpd_kernel_dispatch" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
INSERT INTO "rocpd_kernel_dispatch" VALUES
(2, '00000000', 1, 1000, 1000, 4, 1, 2, 7, 7, 1000049779, 1000051692, 0, 0, 256, 1, 1, 67584, 1, 1, 22),
(3, '00000000', 1, 1000, 1000, 4, 2, 3, 7, 7, 1000052502, 1000055998, 0, 0, 256, 1, 1, 67584, 1, 1, 23),
(4, '00000000', 1, 1000, 1000, 4, 3, 4, 7, 7, 1000056808, 1000061868, 0, 0, 256, 1, 1, 67584, 1, 1, 24),
(5, '00000000', 1, 1000, 1000, 4, 4, 5, 7, 7, 1000062678, 1000069596, 0, 0, 256, 1, 1, 67584, 1, 1, 25),
(6, '00000000', 1, 1000, 1000, 4, 5, 6, 7, 7, 1000070406, 1000072176, 0, 0, 256, 1, 1, 67584, 1, 1, 26),
(9, '00000000', 1, 1000, 1000, 4, 1, 9, 7, 7, 1000161358, 1000163248, 0, 0, 256, 1, 1, 67584, 1, 1, 27),
(10, '00000000', 1, 1000, 1000, 4, 2, 10, 7, 7, 1000164058, 1000167751, 0, 0, 256, 1, 1, 67584, 1, 1, 28),
(11, '00000000', 1, 1000, 1000, 4, 3, 11, 7, 7, 1000168561, 1000173050, 0, 0, 256, 1, 1, 67584, 1, 1, 29),
(12, '00000000', 1, 1000, 1000, 4, 4, 12, 7, 7, 1000173860, 1000179610, 0, 0, 256, 1, 1, 67584, 1, 1, 30),
(13, '00000000', 1, 1000, 1000, 4, 5, 13, 7, 7, 1000180420, 1000182289, 0, 0, 256, 1, 1, 67584, 1, 1, 31),
(16, '00000000', 1, 1000, 1000, 4, 1, 16, 7, 7, 1000262419, 1000264393, 0, 0, 256, 1, 1, 67584, 1, 1, 32),
(17, '00000000', 1, 1000, 1000, 4, 2, 17, 7, 7, 1000265203, 1000268774, 0, 0, 256, 1, 1, 67584, 1, 1, 33),
(18, '00000000', 1, 1000, 1000, 4, 3, 18, 7, 7, 1000269584, 1000274590, 0, 0, 256, 1, 1, 67584, 1, 1, 34),
(19, '00000000', 1, 1000, 1000, 4, 4, 19, 7, 7, 1000275400, 1000282026, 0, 0, 256, 1, 1, 67584, 1, 1, 35),
(20, '00000000', 1, 1000, 1000, 4, 5, 20, 7, 7, 1000282836, 1000284687, 0, 0, 256, 1, 1, 67584, 1, 1, 36);
CREATE TABLE "rocpd_memory_copy" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
INSERT INTO "rocpd_memory_copy" VALUES
(1, '00000000', 1, 1000, 1000, 1000041739, 1000043853, 11, 4, 0, 20000, 0, 7, 37),
(7, '00000000', 1, 1000, 1000, 1000072986, 1000076104, 13, 0, 4, 30000, 0, 7, 38),
(8, '00000000', 1, 1000, 1000, 1000148573, 1000150397, 11, 4, 0, 20000, 0, 7, 39),
(14, '00000000', 1, 1000, 1000, 1000183099, 1000185875, 13, 0, 4, 30000, 0, 7, 40),
(15, '00000000', 1, 1000, 1000, 1000250421, 1000252618, 11, 4, 0, 20000, 0, 7, 41),
(21, '00000000', 1, 1000, 1000, 1000285497, 1000288212, 13, 0, 4, 30000, 0, 7, 42);
